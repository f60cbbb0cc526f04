#pragma once

namespace talaria {

// Who reads a result: the agent, whose mind is small, or a program, which needs data as it is.
enum class Audience { agent, program };

}  // namespace talaria
