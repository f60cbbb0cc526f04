#include "talaria/completion.h"

#include "base/text.h"
#include "talaria/print.h"

namespace talaria {
namespace {

constexpr const char* bash_function = R"sh(_talaria() {
  local word="${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$TALARIA_COMMANDS help"
  else
    case "${COMP_WORDS[1]}" in
@OPTIONS@    esac
    case "${COMP_WORDS[1]}" in
      log|poll|wait|write|keys|paste|submit|resize|kill|rm|clear)
        [[ "$word" == -* ]] || words="$(talaria ps -q 2>/dev/null)" ;;
      sandbox)
        if [ "$COMP_CWORD" -eq 2 ]; then [[ "$word" == -* ]] || words="run explain probe quarantine"
        elif [ "${COMP_WORDS[2]}" = quarantine ]; then
          if [[ "$word" == -* ]]; then words="--to --force --all --json --help"
          elif [ "$COMP_CWORD" -eq 3 ]; then words="list show restore delete"
          else words="$(talaria sandbox quarantine list 2>/dev/null | cut -f1)"; fi
        fi ;;
      skills)
        if [ "$COMP_CWORD" -eq 2 ]; then words="list view run prompt config check new trust untrust enable disable history undo"
        elif [[ "$word" != -* ]]; then words="$(talaria skills list --all 2>/dev/null | cut -f1)"; fi ;;
      help) words="$TALARIA_COMMANDS" ;;
      completion) words="bash zsh" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _talaria talaria
complete -o default -F _talaria hermes
)sh";

}  // namespace

int print_completion(const std::string& shell, const std::vector<const CliCommand*>& commands) {
  if (shell != "bash" && shell != "zsh") {
    return usage_error("completion", "give bash or zsh, as in: source <(talaria completion bash)");
  }
  std::vector<std::string> names;
  std::string options;
  for (const CliCommand* command : commands) {
    CommandLine line(command->name, command->summary, command->examples);
    const Run unused = command->declare(line);
    names.emplace_back(command->name);
    options += "      " + std::string(command->name) + ") words=\"" + join(line.option_names(), " ") + "\" ;;\n";
  }
  std::string function = bash_function;
  function.replace(function.find("@OPTIONS@"), 9, options);
  if (shell == "zsh") print("autoload -U +X bashcompinit && bashcompinit\n");
  print("TALARIA_COMMANDS='" + join(names, " ") + "'\n" + function);
  return 0;
}

}  // namespace talaria
