#pragma once

#include <string>

#include "cuzk/config/config.h"
#include "cuzk/engine/config.h"
#include "cuzk/server/log.h"
#include "cuzk/server/request_gate.h"

namespace cuzk::server {

// All of them are thread-safe, as long as nobody changes the environment.

/// The engine's part of the configuration. `available_memory`: what the machine or the cgroup offers, in
/// bytes. "auto" becomes that less the safety margin, or half of it where the margin would leave less.
engine::EngineConfig engine_config(const Config& config, std::uint64_t available_memory);

/// How many requests may be in memory before they are accepted: what memory.safety_margin has room for, each
/// taken for one of the largest; 2 to 16.
RequestGate::Limits request_limits(const Config& config);

/// srs.param_cache, else $FIL_PROOFS_PARAMETER_CACHE, else /var/tmp/filecoin-proof-parameters.
std::string parameter_folder(const Config& config);

/// daemon.journal, else systemd's $STATE_DIRECTORY, else /var/lib/cuzk; empty: no journal.
std::string journal_folder(const Config& config);

/// Where recorded shapes are kept: `shapes` in the journal's folder; empty: nowhere.
std::string shape_folder(const Config& config);

/// What the keys that have no value, or "auto", amount to on this machine: lines of TOML comments, for
/// `--check-config`. `available_memory` and `processors`: what the machine or the cgroup offers.
std::string effective_values(const Config& config, std::uint64_t available_memory, unsigned processors);

LogLevel log_level(const Config& config);
LogFormat log_format(const Config& config);

}  // namespace cuzk::server
