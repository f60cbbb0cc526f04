#pragma once
#include "api/announcer.h"
#include "api/events.h"
#include "api/jobs.h"
#include "api/known_secrets.h"
#include "api/live_settings.h"
#include "api/login_environment.h"
#include "api/output.h"
#include "api/sandboxes.h"
#include "api/session_files.h"
#include "api/sessions.h"
#include "api/shells.h"
#include "api/tool_desk.h"
#include "gate/gate.h"
#include "loop/loop.h"
#include "loop/worker_pool.h"
#include "store/store.h"

namespace talaria {

class Catalog;
class Interpreters;
class Scripts;
class TrustedTexts;

// What operations work with. The Api owns all of it and outlives every operation.
struct Parts {
  Loop& loop;
  WorkerPool& workers;
  Store& store;
  LiveSettings& settings;
  Sessions& sessions;
  Gate& gate;
  Jobs& jobs;
  Outputs& outputs;
  EventBoard& board;
  Announcer& announcer;
  LoginEnvironment& environment;
  Sandboxes& sandboxes;
  Shells& shells;
  SessionFiles& files;
  WorkerPool& web_workers;
  ToolDesk& desk;
  Interpreters& interpreters;
  Scripts& scripts;
  Catalog& catalog;
  TrustedTexts& trusted_texts;
  KnownSecrets& secrets;
};

}  // namespace talaria
