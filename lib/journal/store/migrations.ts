/**
 * The statements that create the tables of the journal, one entry for each version of the schema. A released entry is
 * never changed: a later one alters what it created. `PRAGMA user_version` counts the entries that were run.
 *
 * Times are milliseconds since 1970. An absent application or expected digest is the empty string if it is part of a
 * key.
 */
export const migrations: readonly string[] = [
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
  // Each site has passes, a plan that waits and a last state of its own. What was kept for all sites together counts
  // until a site says something itself; a plan that waits is found again.
  `
  ALTER TABLE pass ADD COLUMN site TEXT NOT NULL DEFAULT '';
  CREATE INDEX pass_by_site ON pass (environment, site, id);
  DROP TABLE waiting;
  CREATE TABLE waiting (
    environment TEXT NOT NULL, site TEXT NOT NULL,
    plan_id TEXT NOT NULL, pass_id INTEGER NOT NULL, since INTEGER NOT NULL,
    PRIMARY KEY (environment, site)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX waiting_by_pass ON waiting (pass_id);
  ALTER TABLE last_state RENAME TO last_state_of_all;
  CREATE TABLE last_state (
    environment TEXT NOT NULL, site TEXT NOT NULL, body TEXT NOT NULL, seen_at INTEGER NOT NULL,
    PRIMARY KEY (environment, site)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO last_state SELECT environment, '', body, seen_at FROM last_state_of_all;
  DROP TABLE last_state_of_all;
  `,
  // What people said. What it led to, such as a suspension, is gone once it is over.
  `
  CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    environment TEXT NOT NULL, verb TEXT NOT NULL, about TEXT,
    who TEXT NOT NULL, via TEXT NOT NULL, message TEXT, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX answer_by_age ON answer (at);
  `,
  // Each site has its own record of what its ingress has loaded. What was recorded for all of them counts for those on
  // which an ingress was applied.
  `
  ALTER TABLE route RENAME TO route_of_all;
  CREATE TABLE route (
    environment TEXT NOT NULL, site TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (environment, site)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO route SELECT route_of_all.environment, applied.site, route_of_all.body
    FROM route_of_all JOIN applied ON applied.environment = route_of_all.environment
      AND applied.application = 'tallyman-ingress' AND applied.service = 'tallyman-ingress';
  DROP TABLE route_of_all;
  `,
  // An approval is a set of application targets, each with the sites that it is for. What was approved before keeps its
  // bindings: each item becomes a target of its site alone, and what was replaced or begun stays so. Steps are looked up
  // only for approvals that may still be in force.
  `
  CREATE TABLE approval_plan (
    environment TEXT NOT NULL, plan_id TEXT NOT NULL,
    approval_id INTEGER NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
    site TEXT NOT NULL, commit_id TEXT NOT NULL,
    PRIMARY KEY (environment, plan_id, approval_id, site)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX approval_plan_by_approval ON approval_plan (approval_id, site);

  CREATE TABLE approval_target (
    approval_id INTEGER NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
    target INTEGER NOT NULL,
    service TEXT NOT NULL, action TEXT NOT NULL, release TEXT NOT NULL,
    PRIMARY KEY (approval_id, target, service)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE approval_site (
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL,
    approval_id INTEGER NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
    target INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    begun INTEGER NOT NULL DEFAULT 0, remaining INTEGER NOT NULL,
    PRIMARY KEY (environment, site, application, approval_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX approval_site_in_force ON approval_site (environment, site, expires_at) WHERE remaining > 0;
  CREATE INDEX approval_site_by_approval ON approval_site (approval_id, site);

  CREATE TABLE approval_over (
    approval_id INTEGER NOT NULL REFERENCES approval (id) ON DELETE CASCADE,
    site TEXT NOT NULL, application TEXT NOT NULL, service TEXT NOT NULL,
    PRIMARY KEY (approval_id, site, application, service)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE approved_item AS
    SELECT item.approval_id, item.environment, item.site, item.action, item.release, item.superseded,
      substr(item.resource, 1, instr(item.resource, '/') - 1) AS application,
      substr(item.resource, instr(item.resource, '/') + 1) AS service,
      dense_rank() OVER (PARTITION BY item.approval_id
        ORDER BY item.site, substr(item.resource, 1, instr(item.resource, '/') - 1)) AS target,
      approval.expires_at, approval.at, approval.plan_id, approval.commit_id
    FROM approval_item AS item JOIN approval ON approval.id = item.approval_id;
  INSERT INTO approval_plan
    SELECT DISTINCT environment, plan_id, approval_id, site, commit_id FROM approved_item;
  INSERT OR IGNORE INTO approval_target
    SELECT approval_id, target, service, action, release FROM approved_item ORDER BY superseded;
  INSERT INTO approval_site (environment, site, application, approval_id, target, expires_at, remaining)
    SELECT environment, site, application, approval_id, target, expires_at, count(DISTINCT service) FROM approved_item
      GROUP BY environment, site, application, approval_id, target, expires_at;
  INSERT INTO approval_over
    SELECT approval_id, site, application, service FROM approved_item
      GROUP BY approval_id, site, application, service HAVING min(superseded) = 1;
  UPDATE approval_site SET remaining = remaining -
    (SELECT count(*) FROM approval_over AS past WHERE past.approval_id = approval_site.approval_id
       AND past.site = approval_site.site AND past.application = approval_site.application);
  CREATE INDEX approved_item_of_service ON approved_item (environment, site, application, service);
  UPDATE approval_site SET begun = 1 WHERE (approval_id, site) IN
    (SELECT item.approval_id, item.site FROM event JOIN pass ON pass.id = event.pass_id
       JOIN approved_item AS item ON item.environment = pass.environment AND item.site = event.site
         AND item.application = event.application AND item.service = event.service AND item.at <= event.at
       WHERE item.expires_at > (SELECT max(seen_at) FROM pass));
  DROP TABLE approved_item;
  DROP TABLE approval_item;
  `,
  // What was kept for all sites together becomes what is kept of each, so that what is known of a silent site stays until
  // it answers. With several sites the plan was that of all of them; those of the sites are found again.
  `
  INSERT INTO last_state
    SELECT of_all.environment, json_extract(application.value, '$.site'),
      json_set(
        CASE WHEN (SELECT count(DISTINCT json_extract(value, '$.site')) FROM json_each(of_all.body, '$.applications')) > 1
          THEN json_remove(of_all.body, '$.plan', '$.waiting') ELSE of_all.body END,
        '$.applications', json(json_group_array(json(application.value)))),
      of_all.seen_at
    FROM last_state AS of_all, json_each(of_all.body, '$.applications') AS application
    WHERE of_all.site = ''
    GROUP BY of_all.environment, json_extract(application.value, '$.site')
    ON CONFLICT DO NOTHING;
  DELETE FROM last_state WHERE site = '' AND json_array_length(body, '$.applications') > 0;
  `,
  // What ran on one site is read without looking at the other sites.
  'CREATE INDEX version_by_site ON version (site, id)',
  // The versions that an application can be gone back to, each by the commit that wants it.
  `
  CREATE TABLE kept_release (
    id INTEGER PRIMARY KEY,
    environment TEXT NOT NULL, application TEXT NOT NULL, version TEXT NOT NULL,
    commit_id TEXT NOT NULL, mark TEXT NOT NULL, images TEXT NOT NULL, instead_of TEXT, at INTEGER NOT NULL,
    UNIQUE (environment, application, version)
  ) STRICT;
  `,
  // The versions of an application that reached a site, in the order in which they did.
  `
  CREATE TABLE queue_entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    environment TEXT NOT NULL, site TEXT NOT NULL, application TEXT NOT NULL,
    version TEXT, commit_id TEXT NOT NULL, content TEXT NOT NULL, from_patterns TEXT,
    state TEXT NOT NULL DEFAULT 'waiting', forced INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX queue_entry_of_application ON queue_entry (environment, site, application, number);
  `,
  // What brings a version to the sites of its deployment, one batch after the other.
  `
  CREATE TABLE run (
    id INTEGER PRIMARY KEY, environment TEXT NOT NULL, deployment TEXT NOT NULL, application TEXT NOT NULL,
    version TEXT NOT NULL, content TEXT NOT NULL, seed INTEGER NOT NULL, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX run_by_application ON run (environment, application, id);
  CREATE TABLE run_fact (
    id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT, at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX run_fact_by_run ON run_fact (run_id, id);
  CREATE TABLE placement (
    environment TEXT NOT NULL, deployment TEXT NOT NULL, body TEXT NOT NULL, sites TEXT NOT NULL,
    canaries TEXT NOT NULL, PRIMARY KEY (environment, deployment)
  ) STRICT, WITHOUT ROWID;
  `,
  // At which version somebody holds an application.
  `
  CREATE TABLE held_version (
    environment TEXT NOT NULL, application TEXT NOT NULL,
    version TEXT NOT NULL, commit_id TEXT NOT NULL,
    reason TEXT NOT NULL, who TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (environment, application)
  ) STRICT, WITHOUT ROWID;
  `,
  // With which version of its application a service was as wanted.
  'ALTER TABLE applied ADD COLUMN version TEXT',
]
