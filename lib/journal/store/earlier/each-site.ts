/** The migrations by which each site got records of its own. Closed: see `migrations`. */
export const forEachSite: readonly string[] = [
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
]
