#include "engine/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "operators/config/field_text.hpp"

namespace sluice {
namespace {

// All verbs, in the order in which help shows them.
constexpr void (*kVerbs[])(CLI::App&, VerbContext&) = {add_run,   add_validate,   add_plan,   add_operators,
                                                       add_bench, add_completion, add_version};

constexpr const char* kFooter =
    "Examples:\n"
    "  sluice run graph.json          run a graph in this process\n"
    "  sluice validate graph.json     check a graph and print all that is wrong with it\n"
    "  sluice operators file_source   what an operator takes, with an example\n"
    "\n"
    "`sluice VERB --help` explains a verb. Exit codes: 0 done, 1 the job failed, 2 wrong usage or an "
    "invalid\n"
    "graph, 3 cannot reach the coordinator, 130 interrupted.\n";

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* o) { return !o->get_lnames().empty(); })) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

const CLI::App& chosen_verb(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

int wrong_usage(const VerbContext& context, const CLI::App& verb, const std::string& sentence,
                const std::string& hint) {
  const std::string name = verb.get_parent() == nullptr ? "sluice" : "sluice " + verb.get_name();
  std::string text = fmt::format("{}: {}\n", name, sentence);
  if (!hint.empty()) text += fmt::format("  hint: {}\n", hint);
  context.terminal.write_err(text + fmt::format("`{} --help` shows what it takes.\n", name));
  return kWrongUsage;
}

// CLI11 reports arguments that nothing takes as a list of names; what was meant is more useful.
int unexpected_argument(const VerbContext& context, const CLI::App& app) {
  const CLI::App& verb = chosen_verb(app);
  const std::vector<std::string> rest = app.remaining(true);
  const std::string argument = rest.empty() ? std::string() : rest.front();
  if (argument.starts_with("-")) {
    return wrong_usage(context, verb, fmt::format("there is no option {}", quote_value(argument)),
                       did_you_mean(argument.substr(0, argument.find('=')), option_names(verb)));
  }
  if (verb.get_parent() == nullptr) {
    return wrong_usage(context, verb, fmt::format("there is no verb {}", quote_value(argument)),
                       did_you_mean(argument, verb_names(app)));
  }
  return wrong_usage(context, verb, fmt::format("the argument {} is one too many", quote_value(argument)),
                     "");
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string help_text(const CLI::App& verb) {
  std::string text = verb.help(verb.get_parent() == nullptr ? "" : "sluice");
  text.erase(text.find_last_not_of('\n') + 1);
  return text + "\n";
}

int parse_and_run(CLI::App& app, const std::vector<std::string>& arguments, VerbContext& context) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    if (app.get_subcommands().empty()) context.terminal.write_out(help_text(app));
    return context.exit_code;
  } catch (const CLI::CallForHelp&) {
    context.terminal.write_out(help_text(chosen_verb(app)));
    return kDone;
  } catch (const CLI::CallForVersion& version) {
    context.terminal.write_out(std::string(version.what()) + "\n");
    return kDone;
  } catch (const CLI::ExtrasError&) {
    return unexpected_argument(context, app);
  } catch (const CLI::ParseError& error) {
    // A misspelled option often leaves something required missing as well; it is the one to name.
    if (!app.remaining(true).empty()) return unexpected_argument(context, app);
    return wrong_usage(context, chosen_verb(app), first_line(error.what()), "");
  }
}

}  // namespace

std::string example_footer(const std::string& examples) { return "Examples:\n" + examples + "\n"; }

int run_command_line(const std::vector<std::string>& arguments, VerbContext& context) {
  CLI::App app(
      "Sluice runs dataflow graphs: operators joined by edges that never hold more than their memory.",
      "sluice");
  app.footer(kFooter);
  app.set_version_flag("--version", version_text(), "Print the version and exit");
  app.require_subcommand(0, 1);
  for (const auto add : kVerbs) add(app, context);
  int exit_code = kDone;
  try {
    exit_code = parse_and_run(app, arguments, context);
  } catch (const std::exception& error) {
    context.terminal.write_err(fmt::format("sluice: an error inside Sluice: {}\n", error.what()));
    exit_code = kJobFailed;
  }
  if (std::fflush(context.terminal.out) != 0 || std::ferror(context.terminal.out) != 0) {
    context.terminal.write_err("sluice: standard output cannot be written\n");
    return exit_code == kDone ? kJobFailed : exit_code;
  }
  return exit_code;
}

}  // namespace sluice
