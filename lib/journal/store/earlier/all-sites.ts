/** The migrations from when an environment was recorded as a whole, on all its sites together. Closed: see `migrations`. */
export const forAllSites: readonly string[] = [
  `
  CREATE TABLE identity (id TEXT NOT NULL) STRICT;

  CREATE TABLE plan (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    creates INTEGER NOT NULL, replaces INTEGER NOT NULL, starts INTEGER NOT NULL, removes INTEGER NOT NULL,
    drifted INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE plan_change (
    plan_id TEXT NOT NULL REFERENCES plan (id) ON DELETE CASCADE,
    site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    action TEXT NOT NULL, target TEXT NOT NULL,
    PRIMARY KEY (plan_id, site, application, service)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE pass (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    environment TEXT NOT NULL, triggered_by TEXT NOT NULL,
    writer TEXT NOT NULL, pid INTEGER NOT NULL,
    started_at INTEGER NOT NULL, ended_at INTEGER, seen_at INTEGER NOT NULL, repeats INTEGER NOT NULL DEFAULT 0,
    revision TEXT, commit_id TEXT, plan_id TEXT REFERENCES plan (id), remarks TEXT,
    outcome TEXT, sync TEXT, error TEXT
  ) STRICT;
  CREATE INDEX pass_by_environment ON pass (environment, id);
  CREATE INDEX pass_by_plan ON pass (plan_id);
  CREATE INDEX pass_by_age ON pass (seen_at);

  CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    pass_id INTEGER NOT NULL REFERENCES pass (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    step TEXT NOT NULL, stage TEXT NOT NULL, phase TEXT NOT NULL,
    duration_ms INTEGER, error TEXT, note TEXT
  ) STRICT;
  CREATE INDEX event_by_pass ON event (pass_id, id);

  CREATE TABLE approval (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    environment TEXT NOT NULL, plan_id TEXT NOT NULL, commit_id TEXT NOT NULL,
    who TEXT NOT NULL, via TEXT NOT NULL, message TEXT,
    at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX approval_by_plan ON approval (environment, plan_id);
  CREATE INDEX approval_by_expiry ON approval (expires_at);

  CREATE TABLE approval_item (
    approval_id INTEGER NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
    environment TEXT NOT NULL, site TEXT NOT NULL, resource TEXT NOT NULL,
    action TEXT NOT NULL, target TEXT NOT NULL, superseded INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (environment, site, resource, approval_id, target, action)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX approval_item_by_approval ON approval_item (approval_id);

  CREATE TABLE discard (
    environment TEXT NOT NULL, plan_id TEXT NOT NULL, commit_id TEXT NOT NULL,
    who TEXT NOT NULL, message TEXT, at INTEGER NOT NULL,
    PRIMARY KEY (environment, plan_id, commit_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE waiting (
    environment TEXT PRIMARY KEY, plan_id TEXT NOT NULL, pass_id INTEGER NOT NULL, since INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE applied (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    target TEXT NOT NULL, commit_id TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (environment, site, application, service)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE attempt (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (environment, site, application, service)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE quarantine (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    target TEXT NOT NULL, commit_id TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (environment, site, application, service)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE barred (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL, digest TEXT NOT NULL,
    message TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (environment, site, application, digest)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE deployed (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (environment, site, application, digest)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE version (
    id INTEGER PRIMARY KEY,
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL
  ) STRICT;
  CREATE INDEX version_by_application ON version (environment, site, application, id);

  CREATE TABLE version_image (
    version_id INTEGER NOT NULL REFERENCES version (id) ON DELETE CASCADE,
    reference TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (version_id, reference, digest)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE suspension (
    environment TEXT NOT NULL, application TEXT NOT NULL,
    reason TEXT NOT NULL, who TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER,
    PRIMARY KEY (environment, application)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE last_good (environment TEXT PRIMARY KEY, commit_id TEXT NOT NULL, revision TEXT NOT NULL)
    STRICT, WITHOUT ROWID;

  CREATE TABLE route (environment TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE verified_digest (
    id INTEGER PRIMARY KEY,
    reference TEXT NOT NULL, expected TEXT NOT NULL, digest TEXT NOT NULL,
    UNIQUE (reference, expected)
  ) STRICT;

  CREATE TABLE resolved_tag (
    id INTEGER PRIMARY KEY,
    reference TEXT NOT NULL, commit_id TEXT NOT NULL, digest TEXT NOT NULL,
    UNIQUE (commit_id, reference)
  ) STRICT;

  CREATE TABLE instance (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
  ) STRICT;
  `,
  // Approvals, attempts and quarantine refer to releases. Earlier entries refer to targets and match none, so
  // everything is asked for and tried again.
  `
  ALTER TABLE plan_change RENAME COLUMN target TO release;
  ALTER TABLE approval_item RENAME COLUMN target TO release;
  ALTER TABLE quarantine ADD COLUMN release TEXT NOT NULL DEFAULT '';
  ALTER TABLE attempt ADD COLUMN release TEXT NOT NULL DEFAULT '';
  ALTER TABLE attempt ADD COLUMN phase TEXT NOT NULL DEFAULT 'open';
  ALTER TABLE attempt ADD COLUMN begun_at INTEGER;
  UPDATE attempt SET phase = 'ended' WHERE EXISTS
    (SELECT 1 FROM applied WHERE applied.environment = attempt.environment AND applied.site = attempt.site
       AND applied.application = attempt.application AND applied.service = attempt.service
       AND applied.target = attempt.target);
  CREATE TABLE trouble (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    release TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (environment, site, application, service)
  ) STRICT, WITHOUT ROWID;
  `,
  // The last known state of each environment, which status shows while no daemon runs or nothing can be read.
  `
  CREATE TABLE last_state (environment TEXT PRIMARY KEY, body TEXT NOT NULL, seen_at INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
  `,
  // The names of environments. Until now all rows belong to the environment of that name, whatever its directory is.
  `
  CREATE TABLE environment (
    name TEXT PRIMARY KEY, source TEXT NOT NULL, directory TEXT NOT NULL,
    UNIQUE (source, directory)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE post_mortem (
    id INTEGER PRIMARY KEY,
    pass_id INTEGER NOT NULL REFERENCES pass (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX post_mortem_by_pass ON post_mortem (pass_id, id);
  `,
  // After a mid hook the old version is not started again, whatever is wanted meanwhile (H29).
  `
  ALTER TABLE attempt ADD COLUMN no_return INTEGER NOT NULL DEFAULT 0;
  `,
]
