#include "process/environment_names.h"

#include <algorithm>
#include <string>

namespace talaria {
namespace {

// One name a line would make this file five times as long.
// clang-format off
constexpr std::string_view injection_table[] = {
    // The dynamic linker and the C library.
    "LD_*", "DYLD_*", "GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "RES_OPTIONS",
    "HOSTALIASES", "LOCALDOMAIN", "MALLOC_TRACE", "RESOLV_HOST_CONF", "NIS_PATH",
    // Shells.
    "BASH_ENV", "ENV", "BASH_FUNC_*", "BASH_LOADABLES_PATH", "BASH_XTRACEFD", "BASHOPTS", "SHELLOPTS",
    "PROMPT_COMMAND", "PS4", "IFS", "CDPATH", "GLOBIGNORE", "FIGNORE", "EXECIGNORE", "FPATH", "ZDOTDIR", "KSH_ENV",
    // Interpreters: code or options for every run.
    "NODE_OPTIONS", "NODE_REPL_EXTERNAL_MODULE", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONBREAKPOINT",
    "PYTHONWARNINGS", "PYTHONEXECUTABLE", "PERL5OPT", "PERL5DB", "PERL5SHELL", "RUBYOPT", "RUBYSHELL", "LUA_INIT*",
    "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS", "PHPRC", "PHP_INI_SCAN_DIR", "ERL_AFLAGS",
    "ERL_FLAGS", "ERL_ZFLAGS", "ELIXIR_ERL_OPTIONS", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER",
    "JULIA_LOAD_PATH", "DOTNET_STARTUP_HOOKS", "DOTNET_ADDITIONAL_DEPS", "COR_PROFILER*", "CORECLR_PROFILER*",
    "COR_ENABLE_PROFILING", "CORECLR_ENABLE_PROFILING", "BUN_OPTIONS", "DENO_V8_FLAGS",
    // Where git looks when it was started by another git; a gateway started from a hook must not pass them on.
    "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_EXTERNAL_DIFF",
    // Writes the keys of every TLS connection to a file.
    "SSLKEYLOGFILE",
};

constexpr std::string_view program_table[] = {
    // Which program a name means, and what every shell reads.
    "PATH", "SHELL", "HOME", "INPUTRC", "TERMINFO", "TERMINFO_DIRS", "TERMCAP", "TERMPATH", "TMPPREFIX", "MAILPATH",
    "MAIL", "HISTFILE", "PS0", "MANPATH", "MANOPT", "LESSOPEN", "LESSCLOSE", "LESSKEY*", "LESS", "MORE", "MALLOC_*",
    "SYSTEMD_*", "DBUS_*", "XDG_*",
    // Programs that other programs start.
    "EDITOR", "VISUAL", "FCEDIT", "*PAGER", "*_EDITOR", "BROWSER", "*_BROWSER", "*_ASKPASS", "TERMINAL",
    "SUDO_*", "SSH_ASKPASS_REQUIRE", "SSH_SK_PROVIDER", "RSYNC_RSH", "RSYNC_CONNECT_PROG", "CVS_RSH", "SVN_SSH",
    "HGEDITOR", "HGMERGE", "HGRCPATH", "HGPLAIN*", "PINENTRY_*", "TAR_OPTIONS", "RSH", "GREP_OPTIONS",
    "RIPGREP_CONFIG_PATH", "FZF_*", "BAT_CONFIG_*", "WGETRC", "CURL_HOME",
    // git: programs, configuration and places.
    "GIT_SSH*", "GIT_PROXY_*", "GIT_CONFIG*", "GIT_ALLOW_PROTOCOL", "GIT_PROTOCOL_FROM_USER", "GIT_ATTR_*",
    "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_HOOK*", "GIT_MERGE_*", "GIT_DIFF_OPTS",
    "GIT_SHELL_PATH", "GIT_TRACE*", "GIT_SSL_*", "GIT_EXTERNAL_*", "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE",
    "GIT_MAN_VIEWER", "GIT_REDIRECT_*", "GCM_*",
};

constexpr std::string_view code_table[] = {
    // Modules and options of interpreters.
    "PYTHONPATH", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "PYTHONPLATLIBDIR", "PYTHONCASEOK", "NODE_PATH",
    "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "PERL5LIB", "PERLLIB", "PERL_MB_OPT", "PERL_MM_OPT",
    "RUBYLIB", "RUBYPATH", "BUNDLE_*", "GEM_*", "LUA_PATH*", "LUA_CPATH*", "CLASSPATH", "GROOVY_*", "JULIA_*",
    "R_LIBS*", "TCLLIBPATH", "GUILE_*", "EMACSLOADPATH", "EMACSDATA", "VIMINIT", "EXINIT", "GVIMINIT", "MYVIMRC",
    "VIM", "VIMRUNTIME", "SCREENRC", "TMUX*", "AWKPATH", "AWKLIBPATH", "M4PATH", "IPYTHONDIR", "JUPYTER_*",
    "VIRTUAL_ENV", "CONDA_*", "PSMODULEPATH",
    // Compilers and build tools.
    "CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "FC", "HOSTCC", "HOSTCXX", "CPATH", "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS",
    "MAKEFILES", "CMAKE_TOOLCHAIN_FILE", "CMAKE_C_COMPILER*", "CMAKE_CXX_COMPILER*", "CMAKE_PREFIX_PATH",
    "CMAKE_PROGRAM_PATH", "CMAKE_MODULE_PATH", "CMAKE_GENERATOR*", "NINJA_*", "CCACHE_*", "DISTCC_*", "PKG_CONFIG*",
    "ACLOCAL*", "AUTOCONF", "AUTOM4TE", "RUSTC*", "RUSTFLAGS", "RUSTDOC*", "RUSTUP_*", "CARGO_HOME", "CARGO_BUILD_*",
    "CARGO_REGISTR*", "CARGO_NET_*", "CARGO_ENCODED_*", "CARGO_ALIAS_*", "*_LINKER", "*_RUNNER", "GOFLAGS", "GOPROXY",
    "GONOSUMDB", "GONOPROXY", "GOSUMDB", "GOINSECURE", "GOPRIVATE", "GOENV", "GOROOT", "GOTOOLDIR", "GOTOOLCHAIN",
    "CGO_*", "GCCGO", "JAVA_HOME", "MAVEN_*", "M2_HOME", "GRADLE_*", "ANT_*", "SBT_OPTS", "KOTLIN_*", "SCONSFLAGS",
    "BAZEL*", "TF_CLI_*", "ANSIBLE_*", "VAGRANT_*", "HELM_*",
    // Package managers: where code comes from.
    "NPM_CONFIG_*", "NPM_TOKEN", "YARN_*", "PNPM_*", "COREPACK_*", "BUN_INSTALL*", "DENO_*", "PIP_*", "PIPX_*",
    "UV_*", "POETRY_*", "PDM_*", "TWINE_*", "COMPOSER_*", "NUGET_*", "HOMEBREW_*", "APT_CONFIG", "DPKG_*",
    "DEBIAN_PRIORITY", "NIX_*", "OPAM*", "CABAL_*", "STACK_*", "MIX_*", "HEX_*",
};

constexpr std::string_view other_forbidden_table[] = {
    // Whom to trust, whom to talk to and as whom.
    "*_PROXY", "SSL_CERT_*", "OPENSSL_*", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "KRB5*", "DOCKER_*",
    "CONTAINER_HOST", "BUILDAH_*", "PODMAN_*", "KUBECONFIG", "KUBE_*", "AWS_*", "AZURE_*",
    "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_*", "GITHUB_TOKEN", "GH_TOKEN", "GH_CONFIG_DIR", "GH_HOST",
    "GITLAB_TOKEN", "VAULT_*", "PGSERVICEFILE", "PGSYSCONFDIR", "PGPASSFILE", "MYSQL_HOME", "ODBCINI", "ODBCSYSINI",
    "SQLITE_HISTORY", "SSH_AUTH_SOCK", "GPG_AGENT_INFO", "GNUPGHOME", "NETRC", "TF_VAR_*",
};

constexpr std::string_view pager_table[] = {"*PAGER"};

constexpr std::string_view our_table[] = {"TALARIA", "TALARIA_*", "HERMES_*"};

constexpr std::string_view provider_table[] = {
    "OPENAI_API_KEY", "OPENAI_API_KEYS", "OPENAI_ADMIN_KEY", "OPENAI_ACCESS_TOKEN", "OPENAI_KEY", "CODEX_API_KEY",
    "CODEX_ACCESS_TOKEN", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_KEY", "AZURE_AI_API_KEY", "AZURE_FOUNDRY_API_KEY",
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_TOKEN", "ANTHROPIC_OAUTH_TOKEN",
    "ANTHROPIC_FOUNDRY_API_KEY", "CLAUDE_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_OAUTH_REFRESH_TOKEN",
    "OPENROUTER_API_KEY", "OPENROUTER_API_KEYS", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY",
    "GOOGLE_AI_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "CODESTRAL_API_KEY", "DEEPSEEK_API_KEY", "XAI_API_KEY",
    "GROK_API_KEY", "TOGETHER_API_KEY", "TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY", "FIREWORKS_API_KEY",
    "FIREWORKS_AI_API_KEY", "COHERE_API_KEY", "CO_API_KEY", "PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY",
    "PPLX_API_KEY", "CEREBRAS_API_KEY", "NOUS_API_KEY", "NOUS_PORTAL_API_KEY", "HF_TOKEN", "HF_API_KEY",
    "HUGGINGFACE_API_KEY", "HUGGINGFACE_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACEHUB_API_TOKEN",
    "REPLICATE_API_TOKEN", "REPLICATE_API_KEY", "AI21_API_KEY", "ANYSCALE_API_KEY", "DEEPINFRA_API_KEY",
    "DEEPINFRA_TOKEN", "NOVITA_API_KEY", "HYPERBOLIC_API_KEY", "LAMBDA_API_KEY", "SAMBANOVA_API_KEY",
    "NEBIUS_API_KEY", "NSCALE_API_KEY", "BASETEN_API_KEY", "MODAL_TOKEN_SECRET", "CHUTES_API_KEY", "CHUTES_API_TOKEN",
    "FEATHERLESS_API_KEY", "FRIENDLI_TOKEN", "GALADRIEL_API_KEY", "INFERENCE_API_KEY", "KLUSTER_API_KEY",
    "LEPTON_API_KEY", "MARITACA_API_KEY", "PREDIBASE_API_TOKEN", "RUNPOD_API_KEY", "UPSTAGE_API_KEY",
    "VENICE_API_KEY", "VERCEL_AI_GATEWAY_API_KEY", "AI_GATEWAY_API_KEY", "CLOUDFLARE_AI_API_KEY", "WRITER_API_KEY",
    "ZAI_API_KEY", "Z_AI_API_KEY", "ZHIPU_API_KEY", "ZHIPUAI_API_KEY", "GLM_API_KEY", "BIGMODEL_API_KEY",
    "MOONSHOT_API_KEY", "KIMI_API_KEY", "KIMI_CN_API_KEY", "MINIMAX_API_KEY", "MINIMAX_CN_API_KEY",
    "DASHSCOPE_API_KEY", "QWEN_API_KEY", "ALIBABA_API_KEY", "MODELSCOPE_API_KEY", "ARK_API_KEY", "VOLCENGINE_API_KEY",
    "VOLC_ACCESSKEY", "VOLC_SECRETKEY", "BYTEPLUS_API_KEY", "QIANFAN_API_KEY", "QIANFAN_ACCESS_KEY",
    "QIANFAN_SECRET_KEY", "HUNYUAN_API_KEY", "SILICONFLOW_API_KEY", "STEPFUN_API_KEY", "STEP_API_KEY",
    "BAICHUAN_API_KEY", "YI_API_KEY", "LINGYIWANWU_API_KEY", "SPARK_API_KEY", "XIAOMI_API_KEY",
    "GIGACHAT_CREDENTIALS", "YANDEX_API_KEY", "NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY", "NGC_API_KEY",
    "WATSONX_API_KEY", "WATSONX_APIKEY", "WX_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "VERTEX_API_KEY",
    "VERTEXAI_API_KEY", "DATABRICKS_TOKEN", "SNOWFLAKE_CORTEX_TOKEN", "COPILOT_API_KEY", "COPILOT_GITHUB_TOKEN",
    "GITHUB_COPILOT_TOKEN", "CURSOR_API_KEY", "AUGMENT_API_KEY", "OPENCODE_API_KEY", "OPENCODE_ZEN_API_KEY",
    "OPENCODE_GO_API_KEY", "KILOCODE_API_KEY", "SYNTHETIC_API_KEY", "LITELLM_API_KEY", "LITELLM_MASTER_KEY",
    "PORTKEY_API_KEY", "HELICONE_API_KEY", "LM_API_KEY", "LMSTUDIO_API_KEY", "OLLAMA_API_KEY", "VLLM_API_KEY",
    "LLAMA_API_KEY", "META_LLAMA_API_KEY", "LLM_API_KEY", "GMI_API_KEY", "ARCEEAI_API_KEY", "ARCEE_API_KEY",
    "VOYAGE_API_KEY", "JINA_API_KEY", "ASSEMBLYAI_API_KEY", "DEEPGRAM_API_KEY", "ELEVENLABS_API_KEY",
    "ELEVEN_API_KEY", "XI_API_KEY", "STABILITY_API_KEY", "FAL_KEY", "FAL_API_KEY", "BFL_API_KEY", "LUMA_API_KEY",
    "RUNWAY_API_KEY", "VOICE_TOOLS_OPENAI_KEY", "EXA_API_KEY", "TAVILY_API_KEY", "FIRECRAWL_API_KEY",
    "PARALLEL_API_KEY", "BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY", "SERPAPI_API_KEY", "SERPER_API_KEY",
    "BROWSERBASE_API_KEY", "BROWSER_USE_API_KEY", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY", "LANGFUSE_SECRET_KEY",
    "HONCHO_API_KEY", "MEM0_API_KEY",
};

// clang-format on

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
  return name == pattern;
}

}  // namespace

std::span<const std::string_view> program_names() { return program_table; }
std::span<const std::string_view> code_names() { return code_table; }
std::span<const std::string_view> other_forbidden_names() { return other_forbidden_table; }
std::span<const std::string_view> pager_names() { return pager_table; }
std::span<const std::string_view> injection_names() { return injection_table; }
std::span<const std::string_view> our_names() { return our_table; }
std::span<const std::string_view> provider_credential_names() { return provider_table; }

bool matches_any(std::span<const std::string_view> patterns, std::string_view name) {
  std::string capitals(name);
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return std::any_of(patterns.begin(), patterns.end(), [&](auto pattern) { return matches(pattern, capitals); });
}

}  // namespace talaria
