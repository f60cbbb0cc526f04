#include "process/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/environment_names.h"

namespace talaria {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const Environment& variables) {
  const Result<> result = check_call_env(variables);
  return result ? "" : result.error().message();
}

TEST(EnvironmentTest, OrdinaryVariablesMayBeSet) {
  EXPECT_EQ(refusal({{"FOO", "bar"},
                     {"_x9", ""},
                     {"DEBUG", "1"},
                     {"LANG", "C"},
                     {"MY_TOKEN", "a\nb=c"},
                     {"PORT", "80"},
                     {"NODE_ENV", "test"},
                     {"CI", "true"},
                     {"RUST_LOG", "debug"},
                     {"CFLAGS", "-O2"}}),
            "");
}

TEST(EnvironmentTest, PathIsForbidden) {
  EXPECT_EQ(refusal({{"PATH", "/x"}}),
            "Security Violation: Custom 'PATH' variable is forbidden during host execution.");
}

TEST(EnvironmentTest, WhatInjectsCodeIsForbiddenByName) {
  for (const std::string name : {"LD_PRELOAD",
                                 "LD_AUDIT",
                                 "DYLD_INSERT_LIBRARIES",
                                 "BASH_ENV",
                                 "ENV",
                                 "BASH_FUNC_x",
                                 "IFS",
                                 "PS4",
                                 "PROMPT_COMMAND",
                                 "SHELLOPTS",
                                 "BASHOPTS",
                                 "SHELL",
                                 "CDPATH",
                                 "GLOBIGNORE",
                                 "PYTHONSTARTUP",
                                 "PYTHONHOME",
                                 "PYTHONPATH",
                                 "NODE_OPTIONS",
                                 "NODE_PATH",
                                 "PERL5OPT",
                                 "PERL5LIB",
                                 "PERL5DB",
                                 "RUBYOPT",
                                 "RUBYLIB",
                                 "GIT_SSH",
                                 "GIT_SSH_COMMAND",
                                 "GIT_EXEC_PATH",
                                 "GIT_EXTERNAL_DIFF",
                                 "GIT_EDITOR",
                                 "GIT_SEQUENCE_EDITOR",
                                 "GIT_PAGER",
                                 "GIT_ASKPASS",
                                 "GIT_PROXY_COMMAND",
                                 "GIT_CONFIG_COUNT",
                                 "GIT_CONFIG",
                                 "GIT_DIR",
                                 "GIT_TEMPLATE_DIR",
                                 "EDITOR",
                                 "VISUAL",
                                 "PAGER",
                                 "MANPAGER",
                                 "BATPAGER",
                                 "SUDO_ASKPASS",
                                 "SSH_ASKPASS",
                                 "GCONV_PATH",
                                 "GLIBC_TUNABLES",
                                 "MALLOC_CHECK_",
                                 "JAVA_TOOL_OPTIONS",
                                 "_JAVA_OPTIONS",
                                 "LUA_INIT_5_4",
                                 "CC",
                                 "CXX",
                                 "MAKEFLAGS",
                                 "TALARIA_JOB",
                                 "TALARIA",
                                 "HERMES_HOME",
                                 "HOME",
                                 "HTTPS_PROXY",
                                 "NPM_CONFIG_REGISTRY",
                                 "ld_preload"}) {
    EXPECT_EQ(refusal({{"FOO", "1"}, {name, "x"}}),
              "Security Violation: Environment variable '" + name + "' is forbidden during host execution.");
  }
}

TEST(EnvironmentTest, SeveralForbiddenOnesAreAllNamed) {
  EXPECT_EQ(refusal({{"NODE_OPTIONS", "x"}, {"PATH", "y"}, {"FOO", "z"}}),
            "Security Violation: Environment variable 'NODE_OPTIONS' is forbidden during host execution. (blocked "
            "override keys: NODE_OPTIONS, PATH)");
  EXPECT_EQ(check_call_env({{"PATH", ""}}).error().code(), ErrorCode::denied);
}

TEST(EnvironmentTest, APagerThatPagesNothingIsAllowed) {
  EXPECT_EQ(refusal({{"PAGER", ""}, {"GIT_PAGER", "cat"}, {"MANPAGER", "cat"}, {"SYSTEMD_PAGER", "cat"}}), "");
  EXPECT_THAT(refusal({{"PAGER", "cat /etc/passwd"}}), HasSubstr("'PAGER'"));
  EXPECT_THAT(refusal({{"EDITOR", "cat"}}), HasSubstr("'EDITOR'"));
}

TEST(EnvironmentTest, NamesMustBePortable) {
  for (const std::string name : {"", "1A", "A-B", "A B", "A=B", "É", "BASH_FUNC_x%%"}) {
    EXPECT_THAT(refusal({{name, "x"}}), HasSubstr("'" + name + "' is not a variable name")) << name;
  }
}

TEST(EnvironmentTest, ValuesAreBounded) {
  EXPECT_THAT(refusal({{"FOO", "a\0b"s}}), HasSubstr("'FOO' holds a NUL"));
  EXPECT_EQ(refusal({{"FOO", std::string(128 * 1024 - 5, 'x')}}), "");
  EXPECT_THAT(refusal({{"FOO", std::string(128 * 1024, 'x')}}), HasSubstr("'FOO' has 128 KiB"));
  Environment many;
  for (char c = 'A'; c < 'J'; ++c) many.emplace(std::string(1, c), std::string(120 * 1024, 'x'));
  EXPECT_THAT(refusal(many), HasSubstr("with 'I' the variables take more than 1 MiB"));
}

TEST(EnvironmentTest, CommandsInheritAllButOursKeysAndInjections) {
  EXPECT_EQ(host_environment({{"PATH", "/bin"},
                              {"HOME", "/root"},
                              {"EDITOR", "vi"},
                              {"PYTHONPATH", "/lib"},
                              {"GITHUB_TOKEN", "t"},
                              {"AWS_SECRET_ACCESS_KEY", "s"},
                              {"TALARIA_HOME", "/x"},
                              {"TALARIA", "exec"},
                              {"ANTHROPIC_API_KEY", "k"},
                              {"LD_PRELOAD", "x.so"},
                              {"BASH_ENV", "x"},
                              {"BASH_FUNC_ls%%", "() { :; }"},
                              {"PROMPT_COMMAND", "x"},
                              {"NODE_OPTIONS", "--require x"}}),
            (Environment{{"PATH", "/bin"},
                         {"HOME", "/root"},
                         {"EDITOR", "vi"},
                         {"PYTHONPATH", "/lib"},
                         {"GITHUB_TOKEN", "t"},
                         {"AWS_SECRET_ACCESS_KEY", "s"}}));
}

TEST(EnvironmentTest, CommandsInTheSandboxGetWhatEveryProgramExpects) {
  const Environment expected = {{"PATH", "/bin"},      {"HOME", "/home/a"},    {"USER", "a"},
                                {"LOGNAME", "a"},      {"LANG", "C"},          {"LC_ALL", "C"},
                                {"LC_TIME", "C"},      {"TERM", "xterm"},      {"TZ", "UTC"},
                                {"TMPDIR", "/tmp"},    {"SHELL", "/bin/bash"}, {"PYTHONPATH", "/lib"},
                                {"VIRTUAL_ENV", "/v"}, {"CONDA_PREFIX", "/c"}, {"XDG_CACHE_HOME", "/x"}};
  Environment snapshot = expected;
  for (const char* name :
       {"EDITOR", "GITHUB_TOKEN", "XDG_API_KEY", "LC_AUTH", "SSH_AUTH_SOCK", "TALARIA_HOME", "HERMES_HOME",
        "LD_PRELOAD", "PYTHONHOME", "PYTHONSTARTUP", "BASH_ENV", "OPENAI_API_KEY", "MY_PATH", "path_", "HTTPS_PROXY"}) {
    snapshot[name] = "x";
  }
  EXPECT_EQ(sandbox_environment(snapshot, {}), (SandboxEnvironment{expected, {}}));
}

TEST(EnvironmentTest, NamesPassedThroughReachTheSandboxEvenIfSecret) {
  EXPECT_EQ(sandbox_environment({{"GITHUB_TOKEN", "t"}, {"EDITOR", "vi"}, {"NPM_TOKEN", "n"}},
                                {"GITHUB_TOKEN", "EDITOR", "NOT_SET"}),
            (SandboxEnvironment{{{"GITHUB_TOKEN", "t"}, {"EDITOR", "vi"}}, {}}));
}

TEST(EnvironmentTest, WhatIsNeverPassedIsRefusedWithAReason) {
  const std::vector<std::string> names = {"OPENAI_API_KEY", "LD_PRELOAD", "TALARIA_HOME", "A B", "LD_PRELOAD"};
  Environment snapshot;
  for (const std::string& name : names) snapshot[name] = "x";
  const SandboxEnvironment result = sandbox_environment(snapshot, names);
  EXPECT_EQ(result.variables, Environment{});
  EXPECT_THAT(
      result.refused,
      ElementsAre("'OPENAI_API_KEY' is not passed to commands in the sandbox: it is a credential of a model "
                  "provider, the agent's and not its commands'",
                  "'LD_PRELOAD' is not passed to commands in the sandbox: it injects code or options into every "
                  "program",
                  "'TALARIA_HOME' is not passed to commands in the sandbox: it is Talaria's own and nothing "
                  "inside can use it",
                  "'A B' is not passed to commands in the sandbox: it is not a variable name"));
}

TEST(EnvironmentTest, ProgramsGetTheirListAndNothingElse) {
  const Environment expected = {
      {"PATH", "/bin"},       {"HOME", "/home/a"},     {"USER", "a"},          {"LOGNAME", "a"},
      {"LANG", "C"},          {"LC_ALL", "C"},         {"TERM", "xterm"},      {"TZ", "UTC"},
      {"TMPDIR", "/tmp"},     {"SHELL", "/bin/sh"},    {"PYTHONPATH", "/l"},   {"VIRTUAL_ENV", "/v"},
      {"CONDA_PREFIX", "/c"}, {"XDG_DATA_DIRS", "/x"}, {"TALARIA_HOME", "/t"}, {"HERMES_HOME", "/h"}};
  Environment snapshot = expected;
  for (const char* name :
       {"EDITOR",      "GITHUB_TOKEN",  "XDG_API_KEY",   "LC_AUTH",     "TALARIA_JOB",    "TALARIA",       "LD_PRELOAD",
        "PYTHONHOME",  "PYTHONSTARTUP", "PYTHONINSPECT", "BASH_ENV",    "OPENAI_API_KEY", "path",          "MY_PATH",
        "HTTPS_PROXY", "JAVA_HOME",     "XDG_DSN",       "XDG_WEBHOOK", "XDG_BEARER",     "XDG_CREDENTIAL"}) {
    snapshot[name] = "x";
  }
  EXPECT_EQ(script_variables(snapshot, {}), (SandboxEnvironment{expected, {}}));
}

TEST(EnvironmentTest, WhatProgramsAreRefusedIsSaid) {
  const std::vector<std::string> names = {"GITHUB_TOKEN", "ANTHROPIC_API_KEY", "PYTHONSTARTUP", "HERMES_HOME", "A-B"};
  Environment snapshot;
  for (const std::string& name : names) snapshot[name] = "x";
  EXPECT_EQ(
      script_variables(snapshot, names),
      (SandboxEnvironment{
          {{"GITHUB_TOKEN", "x"}, {"HERMES_HOME", "x"}},
          {"'ANTHROPIC_API_KEY' is not passed to programs: it is a credential of a model provider, the agent's and "
           "not its commands'",
           "'PYTHONSTARTUP' is not passed to programs: it injects code or options into every program",
           "'A-B' is not passed to programs: it is not a variable name"}}));
}

TEST(EnvironmentTest, SaysWhichVariableCannotBePassed) {
  EXPECT_TRUE(check_passed_name("NOTION_TOKEN"));
  EXPECT_EQ(check_passed_name("LD_PRELOAD").error(),
            Error(ErrorCode::denied,
                  "'LD_PRELOAD' cannot be passed to commands and programs: it injects code or options "
                  "into every program"));
  for (const char* name : {"", "A B", "1A", "openai_api_key", "TALARIA_JOB", "BASH_FUNC_x"}) {
    EXPECT_FALSE(check_passed_name(name)) << name;
  }
}

TEST(EnvironmentTest, WhatDecidesWhichProgramsRunIsPassedOnlyIfThePersonNamesIt) {
  for (const char* name : {"PATH", "path", "SHELL", "HOME", "GIT_SSH_COMMAND", "GIT_CONFIG_KEY_0", "EDITOR", "PAGER",
                           "GIT_ASKPASS", "PYTHONPATH", "NODE_PATH", "CC", "MAKEFLAGS", "PIP_INDEX_URL"}) {
    EXPECT_TRUE(check_passed_name(name)) << name;
    EXPECT_EQ(check_declared_name(name).error(),
              Error(ErrorCode::denied, "'" + std::string(name) +
                                           "' cannot be passed to commands and programs: it decides which programs "
                                           "and modules run"));
  }
  EXPECT_EQ(check_declared_name("LD_PRELOAD").error(), check_passed_name("LD_PRELOAD").error());
  for (const char* name : {"NOTION_TOKEN", "AWS_PROFILE", "GITHUB_TOKEN", "NPM_TOKEN", "UV_PUBLISH_TOKEN",
                           "TF_VAR_region", "HTTPS_PROXY", "KUBECONFIG", "ANDROID_HOME"}) {
    EXPECT_TRUE(check_declared_name(name)) << name;
  }
}

TEST(EnvironmentTest, ACallMaySetAnythingValidInTheSandbox) {
  EXPECT_TRUE(
      check_sandbox_call_env({{"PATH", "/x"}, {"LD_PRELOAD", "/y.so"}, {"OPENAI_API_KEY", "k"}, {"HOME", "/"}}));
  EXPECT_THAT(check_sandbox_call_env({{"1A", "x"}}).error().message(), HasSubstr("'1A' is not a variable name"));
  EXPECT_THAT(check_sandbox_call_env({{"A", "a\0b"s}}).error().message(), HasSubstr("'A' holds a NUL"));
  EXPECT_THAT(check_sandbox_call_env({{"A", std::string(128 * 1024, 'x')}}).error().message(), HasSubstr("128 KiB"));
}

TEST(EnvironmentTest, KnowsProviderCredentials) {
  for (const char* name : {"OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OPENROUTER_API_KEY",
                           "GEMINI_API_KEY", "XAI_API_KEY", "NOUS_API_KEY", "HF_TOKEN"}) {
    EXPECT_TRUE(is_provider_credential(name)) << name;
  }
  for (const char* name : {"GITHUB_TOKEN", "STRIPE_API_KEY", "OPENAI_BASE_URL", "PATH"}) {
    EXPECT_FALSE(is_provider_credential(name)) << name;
  }
}

TEST(EnvironmentTest, EveryProviderCredentialHasASecretName) {
  for (std::string_view name : provider_credential_names()) EXPECT_TRUE(is_secret_name(name)) << name;
}

TEST(EnvironmentTest, TellsSecretNames) {
  for (const char* name : {"API_KEY",
                           "GITHUB_TOKEN",
                           "AWS_SECRET_ACCESS_KEY",
                           "AWS_ACCESS_KEY_ID",
                           "PGPASSWORD",
                           "DB_PASSWD",
                           "DB_PASS",
                           "MYSQL_PWD",
                           "NPM_AUTH",
                           "SENTRY_DSN",
                           "SLACK_WEBHOOK_URL",
                           "BEARER",
                           "apikey",
                           "GITHUB_PAT",
                           "MY_CREDENTIALS",
                           "DATABASE_URL",
                           "GPG_PASSPHRASE",
                           "OAUTH",
                           "STRIPE_SK",
                           "MY_PWD"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name : {"PATH",
                           "PWD",
                           "OLDPWD",
                           "SSH_AUTH_SOCK",
                           "XAUTHORITY",
                           "KEYBOARD",
                           "KEYTIMEOUT",
                           "MONKEY",
                           "TOKENIZERS_PARALLELISM",
                           "SSH_KEY_PATH",
                           "AUTHOR",
                           "GIT_AUTHOR_NAME",
                           "GIT_ASKPASS",
                           "COMPASS",
                           "LESSKEY",
                           "",
                           "_",
                           "XDG_SESSION_ID",
                           "SK",
                           "TASK"}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
  EXPECT_TRUE(is_secret_variable("PLAIN", "sk_live_0123456789abcdef"));
  EXPECT_TRUE(is_secret_variable("API_KEY", "x"));
  EXPECT_FALSE(is_secret_variable("PLAIN", "x"));
}

TEST(EnvironmentTest, BecomesStringsForExec) {
  EXPECT_THAT(to_envp({{"B", "x=y"}, {"A", ""}}), ElementsAre("A=", "B=x=y"));
}

TEST(EnvironmentTest, ReadsNulSeparatedVariables) {
  EXPECT_EQ(*parse_env0("A=1\0B=x=y\nz\0C=\0"s), (Environment{{"A", "1"}, {"B", "x=y\nz"}, {"C", ""}}));
  EXPECT_EQ(*parse_env0("A=1\0\0A=2"s), (Environment{{"A", "2"}}));
  EXPECT_EQ(*parse_env0(""), Environment{});
  EXPECT_THAT(parse_env0("A=1\0nonsense\0"s).error().message(), HasSubstr("'nonsense' has no '='"));
}

}  // namespace
}  // namespace talaria
