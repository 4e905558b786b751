#include "engine/cli/completion_script.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace sluice {
namespace {

// What a value can be completed to.
struct Value {
  enum class Kind { none, words, graph, file } kind = Kind::none;
  std::vector<std::string> words;
};

struct OptionEntry {
  std::string name;  // without the dashes
  std::string help;
  bool takes_value = false;
  Value value;
};

struct VerbEntry {
  std::string name;
  std::string help;
  std::vector<OptionEntry> options;
  Value argument;
};

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    words.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Value value_of(const CLI::Option& option, const Catalogue& catalogue) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    return {Value::Kind::words, split(std::string_view(type).substr(open + 1, close - open - 1))};
  }
  if (type == "TYPE") {
    Value value{Value::Kind::words, {}};
    for (const OperatorType& known : catalogue.types()) value.words.push_back(known.type);
    return value;
  }
  if (type == "GRAPH") return {Value::Kind::graph, {}};
  if (type == "FILE") return {Value::Kind::file, {}};
  return {};
}

VerbEntry read_verb(const CLI::App& verb, const Catalogue& catalogue) {
  VerbEntry entry{verb.get_name(), verb.get_description(), {}, {}};
  for (const CLI::Option* option : verb.get_options([](const CLI::Option*) { return true; })) {
    if (option->get_positional()) {
      entry.argument = value_of(*option, catalogue);
    } else if (!option->get_lnames().empty()) {
      const bool takes_value = option->get_items_expected_max() > 0;
      entry.options.push_back({option->get_lnames().front(), option->get_description(), takes_value,
                               takes_value ? value_of(*option, catalogue) : Value{}});
    }
  }
  return entry;
}

std::vector<VerbEntry> read_verbs(const CLI::App& root, const Catalogue& catalogue) {
  std::vector<VerbEntry> verbs;
  for (const CLI::App* verb : root.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(read_verb(*verb, catalogue));
  }
  return verbs;
}

// In single quotes, for all three shells alike: no help text needs a quote in it.
std::string plain(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '`');
  return text;
}

// ---- bash: needs nothing but bash itself.

std::string bash_candidates(const Value& value) {
  switch (value.kind) {
    case Value::Kind::words:
      return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))", join(value.words));
    case Value::Kind::graph:
      return "_sluice_files '!*.json'";
    case Value::Kind::file:
      return "_sluice_files ''";
    case Value::Kind::none:
      break;
  }
  return "COMPREPLY=()";
}

std::string bash_verb(const VerbEntry& verb) {
  std::string values;
  std::string names;
  for (const OptionEntry& option : verb.options) {
    names += (names.empty() ? "--" : " --") + option.name;
    if (option.takes_value)
      values += fmt::format("        --{}) {}; return ;;\n", option.name, bash_candidates(option.value));
  }
  std::string text = fmt::format("    {})\n", verb.name);
  if (!values.empty()) text += "      case \"$previous\" in\n" + values + "      esac\n";
  text += fmt::format(
      "      if [[ $current == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$current\")); else {}; fi ;;\n",
      names, bash_candidates(verb.argument));
  return text;
}

std::string bash_script(const std::vector<VerbEntry>& verbs) {
  std::vector<std::string> names;
  std::string cases;
  for (const VerbEntry& verb : verbs) {
    names.push_back(verb.name);
    cases += bash_verb(verb);
  }
  return fmt::format(R"(# Completion of sluice for bash: source <(sluice completion bash)
_sluice_files() {{
  compopt -o filenames 2>/dev/null
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current"; compgen -f -X "$1" -- "$current" | while IFS= read -r line; do [[ -d $line ]] || printf '%s\n' "$line"; done)
}}
_sluice() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} verb= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then verb=${{COMP_WORDS[i]}}; break; fi
  done
  COMPREPLY=()
  case "$verb" in
    '') COMPREPLY=($(compgen -W '{} --help --version' -- "$current")) ;;
{}  esac
}}
complete -F _sluice sluice
)",
                     join(names), cases);
}

// ---- zsh

std::string zsh_action(const Value& value) {
  switch (value.kind) {
    case Value::Kind::words:
      return fmt::format(":value:({})", join(value.words));
    case Value::Kind::graph:
      return ":graph:_files -g \"*.json(-.)\"";
    case Value::Kind::file:
      return ":file:_files";
    case Value::Kind::none:
      break;
  }
  return ":value: ";
}

std::string zsh_text(std::string text) {
  text = plain(std::move(text));
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_verb(const VerbEntry& verb) {
  std::string text = fmt::format("    {}) _arguments", verb.name);
  for (const OptionEntry& option : verb.options) {
    text += fmt::format(" \\\n      '--{}[{}]{}'", option.name, zsh_text(option.help),
                        option.takes_value ? zsh_action(option.value) : "");
  }
  if (verb.argument.kind != Value::Kind::none)
    text += fmt::format(" \\\n      '*{}'", zsh_action(verb.argument));
  return text + " ;;\n";
}

std::string zsh_script(const std::vector<VerbEntry>& verbs) {
  std::string names;
  std::string cases;
  for (const VerbEntry& verb : verbs) {
    names += fmt::format("    '{}:{}'\n", verb.name, zsh_text(verb.help));
    cases += zsh_verb(verb);
  }
  return fmt::format(R"(#compdef sluice
# Completion of sluice for zsh: sluice completion zsh > a folder of $fpath, as _sluice
_sluice() {{
  local -a verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{}  esac
}}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
)",
                     names, cases);
}

// ---- fish

std::string fish_values(const Value& value) {
  switch (value.kind) {
    case Value::Kind::words:
      return fmt::format(" -a '{}'", join(value.words));
    case Value::Kind::graph:
      return " -k -a '(__fish_complete_suffix .json)'";
    case Value::Kind::file:
      return " -F";
    case Value::Kind::none:
      break;
  }
  return "";
}

std::string fish_verb(const VerbEntry& verb) {
  std::string text =
      fmt::format("complete -c sluice -n __fish_use_subcommand -a {} -d '{}'\n", verb.name, plain(verb.help));
  const std::string seen = fmt::format("complete -c sluice -n '__fish_seen_subcommand_from {}'", verb.name);
  for (const OptionEntry& option : verb.options) {
    text += fmt::format("{} -l {}{} -d '{}'\n", seen, option.name,
                        option.takes_value ? " -x" + fish_values(option.value) : "", plain(option.help));
  }
  if (verb.argument.kind != Value::Kind::none) text += seen + fish_values(verb.argument) + "\n";
  return text;
}

std::string fish_script(const std::vector<VerbEntry>& verbs) {
  std::string text =
      "# Completion of sluice for fish: sluice completion fish > ~/.config/fish/completions/sluice.fish\n"
      "complete -c sluice -f\n";
  for (const VerbEntry& verb : verbs) text += fish_verb(verb);
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& root, const Catalogue& catalogue, std::string_view shell) {
  const std::vector<VerbEntry> verbs = read_verbs(root, catalogue);
  if (shell == "bash") return bash_script(verbs);
  if (shell == "zsh") return zsh_script(verbs);
  if (shell == "fish") return fish_script(verbs);
  return "";
}

}  // namespace sluice
