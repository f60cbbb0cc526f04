#include <algorithm>
#include <array>

#include "base/text.h"
#include "guard/git_config.h"

namespace talaria {
namespace {

// Names of settings in a section that name no program, no file and no address. Each list was read through in git's
// documentation: what it does not hold is refused, also what a later git invents.
struct HarmlessNames {
  std::string_view section;
  std::string_view names;
};

constexpr auto harmless_without_subsection = std::to_array<HarmlessNames>({
    {"core",
     " repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode protecthfs protectntfs "
     "symlinks "
     "autocrlf eol safecrlf checkroundtripencoding abbrev quotepath compression loosecompression bigfilethreshold "
     "packedgitwindowsize packedgitlimit deltabasecachelimit checkstat trustctime untrackedcache preloadindex "
     "splitindex "
     "sharedrepository warnambiguousrefs whitespace sparsecheckout sparsecheckoutcone commitgraph multipackindex fsync "
     "fsyncmethod fsyncobjectfiles createobject hidedotfiles longpaths fscache usereplacerefs commentchar "
     "commentstring "
     "disambiguate prefersymlinkrefs filesreflocktimeout packedrefstimeout maxtreedepth "},
    {"extensions", " partialclone worktreeconfig noop preciousobjects relativeworktrees "},
    {"user", " name email useconfigonly "},
    {"author", " name email "},
    {"committer", " name email "},
    {"init", " defaultbranch "},
    {"pull", " rebase ff "},
    {"push", " default followtags autosetupremote recursesubmodules useforceifincludes negotiate usebitmaps "},
    {"merge",
     " ff conflictstyle renames renamelimit directoryrenames stat log autostash verbosity branchdesc suppressdest "
     "defaulttoupstream renormalize "},
    {"branch", " autosetupmerge autosetuprebase sort "},
    {"submodule", " recurse propagatebranches active fetchjobs alternatelocation alternateerrorstrategy "},
    {"diff",
     " renames renamelimit algorithm colormoved colormovedws context interhunkcontext mnemonicprefix noprefix "
     "submodule "
     "ignoresubmodules wserrorhighlight indentheuristic statgraphwidth statnamewidth suppressblankempty dirstat "
     "relative "
     "autorefreshindex "},
    {"status",
     " relativepaths short branch aheadbehind displaycommentprefix renamelimit renames showstash showuntrackedfiles "
     "submodulesummary "},
    {"log",
     " abbrevcommit date decorate diffmerges follow graphcolors showroot showsignature mailmap initialdecorationset "},
    {"gc",
     " aggressivedepth aggressivewindow auto autopacklimit autodetach bigpackthreshold writecommitgraph logexpiry "
     "packrefs "
     "cruftpacks maxcruftsize pruneexpire worktreepruneexpire reflogexpire reflogexpireunreachable rerereresolved "
     "rerereunresolved "},
    {"fetch",
     " recursesubmodules fsckobjects unpacklimit prune prunetags all output negotiationalgorithm showforcedupdates "
     "parallel "
     "writecommitgraph "},
    {"rebase",
     " backend stat autosquash autostash updaterefs missingcommitscheck instructionformat abbreviatecommands "
     "reschedulefailedexec forkpoint rebasemerges maxlabellength "},
    {"commit", " gpgsign status verbose cleanup "},
    {"tag", " gpgsign forcesignannotated sort "},
    {"am", " keepcr threeway messageid "},
    {"apply", " ignorewhitespace whitespace "},
    {"index", " version threads sparse recordendofindexentries recordoffsettable skiphash "},
    {"pack",
     " window depth windowmemory compression deltacachesize deltacachelimit threads indexversion packsizelimit "
     "usesparse "
     "writereverseindex allowpackreuse writebitmaphashcache "},
    {"repack", " usedeltabaseoffset packkeptobjects usedeltaislands writebitmaps updateserverinfo "},
    {"feature", " experimental manyfiles "},
    {"maintenance", " auto "},
    {"receive",
     " advertiseatomic autogc denycurrentbranch denydeletecurrent denydeletes denynonfastforwards fsckobjects "
     "unpacklimit "
     "updateserverinfo "},
    {"transfer", " fsckobjects unpacklimit "},
    {"rerere", " enabled autoupdate "},
    {"stash", " showincludeuntracked showpatch showstat "},
    {"checkout", " guess workers thresholdforparallelism "},
    {"clean", " requireforce "},
    {"grep", " linenumber column patterntype extendedregexp threads fullname "},
    {"i18n", " commitencoding logoutputencoding "},
    {"lfs", " repositoryformatversion "},
});

constexpr auto harmless_with_subsection = std::to_array<HarmlessNames>({
    {"remote",
     " fetch push tagopt prune prunetags mirror promisor partialclonefilter skipfetchall skipdefaultupdate "
     "gh-resolved "},
    {"branch", " merge rebase description vscode-merge-base github-pr-owner-number "},
    {"submodule", " active branch ignore fetchrecursesubmodules shallow "},
});

// What the best-known others do.
struct KnownDanger {
  std::string_view section;
  std::string_view names;  // empty: all of the section
  std::string_view effect;
};

constexpr auto known_dangers = std::to_array<KnownDanger>({
    {"include", "", "reads more settings from another file"},
    {"includeif", "", "reads more settings from another file"},
    {"alias", "", "gives a git command another meaning, which may be a program"},
    {"core", " fsmonitor ", "names a program that nearly every git command runs"},
    {"core", " hookspath ", "names a folder of hooks, which git runs"},
    {"core", " sshcommand gitproxy ", "names a program that git runs to reach a remote"},
    {"core", " pager editor askpass ", "names a program that git runs"},
    {"core", " alternaterefscommand alternaterefsprefixes ", "names a program that git runs to list references"},
    {"core", " attributesfile excludesfile ", "makes git read a file elsewhere"},
    {"core", " worktree ", "has git work in another folder"},
    {"filter", "", "names a program that git runs on files it checks out or adds"},
    {"diff", " external command textconv ", "names a program that git runs to show a change"},
    {"merge", " driver tool guitool ", "names a program that git runs to merge"},
    {"difftool", "", "names a program that git runs to show a change"},
    {"mergetool", "", "names a program that git runs to merge"},
    {"credential", "", "names a program that is given passwords"},
    {"gpg", "", "names a program that git runs for signatures"},
    {"http", "", "changes whom git trusts and talks to over the network"},
    {"url", "", "sends git to another address than the one it shows"},
    {"protocol", "", "allows addresses that run programs"},
    {"safe", "", "has git trust folders of other people"},
    {"uploadpack", "", "changes what git gives to others, by a program"},
    {"sequence", "", "names an editor that git runs"},
    {"pager", "", "names a program that git runs"},
    {"interactive", " difffilter ", "names a program that git runs"},
    {"browser", "", "names a program that git runs"},
    {"man", "", "names a program that git runs"},
    {"sendemail", "", "may name a program that git runs"},
    {"trailer", "", "may name a program that git runs"},
    {"hook", "", "names a program that git runs"},
    {"gc", " recentobjectshook ", "names a program that git runs"},
    {"remote", " uploadpack receivepack vcs proxy ", "names a program that git runs to reach a remote"},
    {"submodule", " update ", "may name a command that git runs"},
    {"lfs", "", "may name a program that git-lfs runs"},
});

bool in_list(std::string_view names, const std::string& name) {
  // No name holds a blank, so no name is a part of two.
  return names.find(" " + name + " ") != std::string_view::npos;
}

template <size_t count>
bool listed(const std::array<HarmlessNames, count>& lists, const GitConfigEntry& entry) {
  return std::any_of(lists.begin(), lists.end(), [&](const HarmlessNames& list) {
    return list.section == entry.section && in_list(list.names, entry.name);
  });
}

std::string effect_of(const GitConfigEntry& entry) {
  for (const KnownDanger& danger : known_dangers)
    if (danger.section == entry.section && (danger.names.empty() || in_list(danger.names, entry.name)))
      return std::string(danger.effect);
  return "is not among the settings that are known to run nothing";
}

bool one_of(const std::optional<std::string>& value, std::initializer_list<std::string_view> allowed) {
  return value && std::find(allowed.begin(), allowed.end(), *value) != allowed.end();
}

// Settings whose value is an address, or the name of a remote, which git takes for an address when no remote has it.
bool holds_address(const GitConfigEntry& entry) {
  if (entry.subsection.empty()) return entry.section == "remote" && entry.name == "pushdefault";
  return (entry.section == "remote" && (entry.name == "url" || entry.name == "pushurl")) ||
         (entry.section == "branch" && (entry.name == "remote" || entry.name == "pushremote")) ||
         (entry.section == "submodule" && entry.name == "url");
}

bool is_harmless(const GitConfigEntry& entry) {
  const bool plain = entry.subsection.empty();
  if (plain && (entry.section == "color" || entry.section == "advice" || entry.section == "column")) return true;
  // "color.diff.meta" and the like.
  if (entry.section == "color") return true;
  if (plain && entry.section == "extensions") {
    if (entry.name == "objectformat" || entry.name == "compatobjectformat")
      return one_of(entry.value, {"sha1", "sha256"});
    if (entry.name == "refstorage") return one_of(entry.value, {"files", "reftable"});
  }
  if (!plain && entry.section == "submodule" && entry.name == "update")
    return one_of(entry.value, {"checkout", "rebase", "merge", "none"});
  // git-lfs keeps how it may speak to a server.
  if (!plain && entry.section == "lfs" && entry.name == "access")
    return one_of(entry.value, {"basic", "none", "negotiate"});
  if (!plain && entry.section == "lfs" && entry.name == "locksverify") return one_of(entry.value, {"true", "false"});
  return plain ? listed(harmless_without_subsection, entry) : listed(harmless_with_subsection, entry);
}

bool is_scheme_character(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '+' || character == '-' || character == '.';
}

// ssh takes a host that begins with a dash for an option, and an option can name a program.
bool host_is_option(std::string_view host) {
  const size_t at = host.rfind('@');
  return host.starts_with('-') || (at != std::string_view::npos && host.substr(at + 1).starts_with('-'));
}

}  // namespace

std::optional<std::string> danger_in_git_address(std::string_view address) {
  if (address.empty()) return "the address is empty";
  if (address.starts_with('-')) return "the address begins with a dash, so a program may take it for an option";
  if (std::any_of(address.begin(), address.end(), [](unsigned char byte) { return byte < ' ' || byte == 0x7f; }))
    return "the address holds a control character";
  const size_t scheme_end =
      static_cast<size_t>(std::find_if_not(address.begin(), address.end(), is_scheme_character) - address.begin());
  const std::string_view rest = address.substr(scheme_end);
  if (rest.starts_with("::")) return "an address of this form has git run a program to reach it";
  const size_t slash = address.find('/');
  if (rest.starts_with("://")) {
    const std::string_view scheme = address.substr(0, scheme_end);
    static constexpr auto known =
        std::to_array<std::string_view>({"https", "http", "ssh", "git", "file", "git+ssh", "ssh+git", "ftp", "ftps"});
    if (std::find(known.begin(), known.end(), scheme) == known.end())
      return "git runs a program of its own for addresses that begin with " + std::string(scheme) + "://";
    const std::string_view authority = rest.substr(3, rest.substr(3).find('/'));
    if (host_is_option(authority)) return "the host begins with a dash, so ssh may take it for an option";
    return std::nullopt;
  }
  const size_t colon = address.find(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon < slash)) {
    if (host_is_option(address.substr(0, colon)))
      return "the host begins with a dash, so ssh may take it for an option";
    if (address.substr(colon + 1).starts_with('-'))
      return "the path begins with a dash, so a program may take it for an option";
  }
  return std::nullopt;
}

std::optional<std::string> danger_in(const GitConfigEntry& entry, const GitConfigPlace& place) {
  if (holds_address(entry)) {
    const std::optional<std::string> danger = danger_in_git_address(entry.value.value_or(""));
    if (!danger) return std::nullopt;
    return "The setting " + entry.documented_key() + " is refused: " + *danger + ".";
  }
  const bool is_worktree = entry.section == "core" && entry.subsection.empty() && entry.name == "worktree";
  if (is_worktree ? entry.value && place.allows_worktree && place.allows_worktree(*entry.value) : is_harmless(entry))
    return std::nullopt;
  return "The setting " + entry.documented_key() + " " + effect_of(entry) + ".";
}

}  // namespace talaria
