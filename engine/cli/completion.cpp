#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "engine/cli/completion_script.hpp"
#include "engine/cli/verb.hpp"

namespace sluice {

void add_completion(CLI::App& root, VerbContext& context) {
  CLI::App* verb = root.add_subcommand("completion", "Print a script that completes sluice in a shell");
  const auto shell = std::make_shared<std::string>();
  verb->add_option("shell", *shell, "The shell")->required()->type_name("{bash,zsh,fish}");
  verb->footer(
      example_footer("  source <(sluice completion bash)\n"
                     "  sluice completion zsh > ~/.zfunc/_sluice\n"
                     "  sluice completion fish > ~/.config/fish/completions/sluice.fish"));
  verb->callback([shell, &root, &context] {
    const std::string script = completion_script(root, context.catalogue, *shell);
    if (script.empty()) {
      context.terminal.write_err("sluice completion: the shells are bash, zsh and fish\n");
      context.exit_code = kWrongUsage;
    }
    context.terminal.write_out(script);
  });
}

}  // namespace sluice
