// Translates the lines of standard input with a TorchScript archive of lane-export.
//
// The whole derivation loop is inside the archive: lines go in, lines and a status for each come out.

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include <torch/script.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: translate MODEL.ts < commands\n";
    return 2;
  }
  try {
    // An archive can hold any code: load only files that you trust.
    torch::jit::ExtraFilesMap card{{"lane.json", ""}};
    torch::jit::Module model = torch::jit::load(argv[1], torch::kCPU, card);
    if (card["lane.json"].empty()) {
      std::cerr << "error: " << argv[1] << ": not an archive of lane-export\n";
      return 1;
    }

    c10::List<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) {
      lines.push_back(line);
    }

    c10::InferenceMode no_gradients;
    const auto result = model.forward({lines}).toTuple();
    const auto texts = result->elements()[0].toList();
    const auto statuses = result->elements()[1].toIntList();
    int failed = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      const int64_t status = statuses.get(i);
      if (status == 0) {
        std::cout << texts.get(i).toStringRef() << '\n';
      } else {
        // The names of the statuses are in the card, in this order.
        std::cout << "<error: status " << status << ">\n";
        failed = 1;
      }
    }
    return failed;
  } catch (const c10::Error& error) {
    std::cerr << "error: " << argv[1] << ": " << error.what_without_backtrace() << '\n';
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
