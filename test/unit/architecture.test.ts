import { dirname } from 'node:path'
import { expect } from 'chai'
import { circlesIn } from '../../bin/bundle/circles.ts'
import { isOurs, leaves, placeOf, type Source, sources } from '../support/files/sources.ts'

/**
 * Who may import whom, besides the leaves: folders of lib, and files beside them. Types count. What is not in the
 * table does not exist yet; it gets its row with its first file.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  // the ways in
  cli: [
    'answers',
    'apply',
    'config',
    'daemon',
    'git',
    'journal',
    'log',
    'metadata',
    'metadata-server',
    'plan',
    'reconcile',
    'resolve',
    'revert-commit',
    'spec',
    'state',
    'validate',
  ],
  daemon: [
    'config',
    'docker',
    'engine',
    'git',
    'http',
    'journal',
    'log',
    'reconcile',
    'registry',
    'secrets',
    'state',
    'swarm',
    'writer',
  ],
  http: ['answers', 'ingress', 'journal', 'plan', 'reconcile', 'schema'],
  answers: ['fleet', 'journal', 'plan', 'reconcile', 'state'],
  'revert-commit': ['git', 'manifest', 'resolve', 'spec', 'state'],
  // the line
  reconcile: [
    'apply',
    'config',
    'engine',
    'fleet',
    'git',
    'ingress',
    'journal',
    'log',
    'manifest',
    'plan',
    'registry',
    'resolve',
    'secrets',
    'spec',
    'state',
    'writer',
  ],
  apply: ['engine', 'plan', 'state'],
  // decisions and readings, pure
  plan: ['state'],
  ingress: ['state'],
  metadata: ['state'],
  fleet: ['state'],
  resolve: ['ingress', 'manifest', 'metadata', 'spec', 'state'],
  validate: ['config', 'document', 'fleet', 'ingress', 'manifest', 'resolve', 'spec', 'state'],
  manifest: ['document', 'schema', 'state'],
  spec: ['document', 'fleet', 'schema', 'state'],
  // edges
  docker: ['endpoint', 'engine', 'ingress', 'metadata', 'plan', 'ssh', 'state'],
  swarm: ['docker', 'endpoint', 'engine', 'plan', 'state'],
  'metadata-server': ['metadata'],
  git: ['request', 'ssh', 'state'],
  journal: ['plan', 'state'],
  registry: ['engine', 'state'],
  engine: ['plan', 'state'],
  request: [],
  ssh: [],
  endpoint: ['ssh'],
  secrets: ['document', 'state'],
  writer: ['state'],
  // what all of it stands on
  config: ['config.gen', 'document', 'endpoint', 'registry', 'schema', 'spec', 'state'],
  'config.gen': [],
  schema: ['document'],
  document: [],
  log: [],
  state: [],
}

/** Libraries that one place hides from the rest, or two that use them for two things. */
const owners: Readonly<Record<string, string | readonly string[]>> = {
  dockerode: 'docker',
  ssh2: 'docker',
  'tar-stream': 'docker',
  'isomorphic-git': 'git',
  chokidar: 'git',
  'node:sqlite': ['journal', 'writer'],
  ajv: 'schema',
  yaml: 'document',
  diff: 'revert-commit',
  re2js: 'state',
  'temporal-polyfill': 'fleet',
  'age-encryption': 'secrets',
  winston: 'log',
  fastify: 'http',
  'prom-client': 'http',
  commander: 'cli',
  listr2: 'cli',
  '@inquirer/prompts': 'cli',
}

/** Everything that writes to a terminal, a log or a socket, and how what it writes is made harmless. */
const printers: Readonly<Record<string, string>> = {
  'lib/cli/output/output.ts': 'takes lines and values, and prints them',
  'lib/cli/output/live-progress.ts': 'hands lines to listr2 as they are printed',
  'lib/cli/ask.ts': 'asks in words of its own',
  'lib/cli/main.ts': 'tells the version of the package',
  'lib/cli/commands/daemon.ts': 'gives the log its stream',
  'lib/cli/output/streams.ts': 'tells in words of its own and of the system that nothing can be printed',
  'lib/log.ts': 'writes lines and JSON',
  'lib/http/server.ts': 'answers with JSON, and with the figures of metrics.ts',
  'lib/metadata-server/server.ts':
    'answers programs, with what their own pod is, byte by byte as it was written',
}

/** Where a text is made harmless. */
const edges = [
  'lib/cli/output/json-document.ts',
  'lib/cli/output/output.ts',
  'lib/cli/output/printed.ts',
  'lib/http/json-pieces.ts',
  'lib/http/metrics.ts',
  'lib/http/server.ts',
  'lib/log.ts',
]

/** No clock, no network, no disk, no chance. */
const pure = ['document', 'fleet', 'ingress', 'manifest', 'metadata', 'plan', 'resolve', 'spec', 'state']
/**
 * Who may know what time of day it is, and what for. It may be put forward or back at any moment, so that nothing of
 * this is an age or a deadline within the process: those go by `steadyMs`.
 */
const timeOfDay: Readonly<Record<string, string>> = {
  'lib/clock.ts': 'reads it',
  'lib/log.ts': 'stands on each line',
  'lib/daemon.ts': 'is handed down',
  'lib/daemon/run.ts': 'is handed down',
  'lib/daemon/cron.ts': 'is what a cron expression is about',
  'lib/http/controlled.ts': 'is handed down',
  'lib/http/subjects.ts': 'is handed down',
  'lib/answers/subject/subject.ts': 'is handed down',
  'lib/answers/approve.ts': 'is what approvals end by',
  'lib/answers/discard.ts': 'is what approvals end by',
  'lib/answers/subject/asked.ts': 'tells what was said from what is to come',
  'lib/answers/next-batch.ts': 'is what healthy times end by, which outlive the process',
  'lib/answers/suspend.ts': 'is what suspensions end by',
  'lib/answers/resume.ts': 'stands on what is written down',
  'lib/answers/rollback.ts': 'stands on what is written down',
  'lib/answers/deployment.ts': 'stands on what is written down',
  'lib/answers/plan/plan-fate.ts': 'stands on what is written down',
  'lib/answers/record-said.ts': 'is written down',
  'lib/answers/record-revert.ts': 'is written down',
  'lib/answers/retry.ts': 'is written down',
  'lib/answers/upgrade.ts': 'stands on what is written down',
  'lib/cli/client/without-daemon.ts': 'is handed down',
  'lib/reconcile/world.ts': 'is handed down',
  'lib/apply/step-runner.ts': 'stands on what is told of a step',
  'lib/reconcile/site/record/changes.ts': 'stands on what is written down',
  'lib/reconcile/site/record/record.ts': 'stands on what is written down',
  'lib/reconcile/site/record/end-pass.ts': 'stands on what is written down',
  'lib/reconcile/site/record/learn.ts': 'stands on what is written down',
  'lib/reconcile/site/record/quarantine.ts': 'approvals and attempts are written down',
  'lib/reconcile/status/look-after.ts': 'stands on what is written down',
  'lib/reconcile/site/approved-here.ts': 'approvals and versions are written down',
  'lib/reconcile/site/stale-removals.ts': 'approvals are written down',
  'lib/reconcile/fleet/advance.ts': 'stands on what is written down',
  'lib/reconcile/fleet/advance-all.ts': 'is handed down',
  'lib/reconcile/fleet/sites/silent-in-batch.ts': 'stands on what is written down',
  'lib/reconcile/fleet/findings/fact.ts': 'stands on what is written down',
  'lib/reconcile/fleet/findings/findings.ts': 'is handed down',
  'lib/reconcile/fleet/findings/record-findings.ts': 'is handed down',
  'lib/reconcile/fleet/memory/known-facts.ts': 'is what facts are recorded by, which outlive the process',
  'lib/reconcile/loop/deployments.ts':
    'is what windows open by, and what the end of a healthy time is told in',
  'lib/reconcile/loop/loop.ts': 'is shown: since when the repository is looked at, when that is due again',
  'lib/reconcile/loop/site/after-pass.ts': 'is shown: when the next pass is due',
  'lib/reconcile/loop/site/spared.ts': 'is shown: when what failed is tried again',
  'lib/reconcile/loop/site/meanwhile/beside.ts':
    'is shown: when what failed beside another pass is tried again',
  'lib/reconcile/loop/site/meanwhile/running-pass.ts': 'is shown: when what runs began, and what ended of it',
  'lib/reconcile/loop/site/site-loop.ts': 'is shown: since when a pass runs, when the next one is due',
  'lib/reconcile/repository/record-unread.ts': 'stands on what is written down',
  'lib/reconcile/repository/version/record-kept-versions.ts': 'stands on what is written down',
  'lib/reconcile/site/apply/begin-job.ts': 'writes down when a job began, which may outlive the process',
  'lib/reconcile/site/apply/carry-out.ts': 'is handed down',
  'lib/reconcile/site/apply/deploys.ts':
    'writes down since when a rollout waits, which may outlive the process',
  'lib/reconcile/site/apply/elapsed.ts': 'tells how long ago an earlier process began an attempt',
  'lib/reconcile/site/observe.ts':
    'tells when containers were started, which is compared with what outlives the process',
  'lib/reconcile/site/decision/rules.ts': 'decides which suspensions are in force, which outlive the process',
  'lib/reconcile/site/apply/renew-logins.ts': 'is what suspensions end by',
  'lib/reconcile/site/held-back-now.ts': 'is what suspensions end by',
  'lib/reconcile/site/identity/swarm-made-anew.ts': 'is written down',
  'lib/reconcile/site/upgrade/closed-sites.ts': 'decides whether the windows of sites are open',
  'lib/reconcile/site/upgrade/window-now.ts': 'decides whether a window is open',
  'lib/reconcile/status/deployment/run-now.ts': 'is what healthy times end by, which outlive the process',
  'lib/reconcile/status/deployment/deployments-at.ts':
    'is what healthy times end by, which outlive the process',
  'lib/reconcile/status/environment-status.ts': 'decides which suspensions are in force',
  'lib/reconcile/status/plan/plan-standing.ts': 'decides which words are in force',
  'lib/reconcile/status/ingress/ask-ingresses.ts': 'is what certificates end by',
  'lib/reconcile/status/ingress/certificates.ts': 'is what certificates end by',
  'lib/reconcile/status/ingress/site-certificates.ts': 'is what certificates end by',
  'lib/fleet/spread/stand.ts': 'is what healthy times end by, which outlive the process',
  'lib/journal/decisions/approvals.ts': 'is what approvals end by',
  'lib/journal/decisions/lapse-approvals.ts': 'is what approvals end by',
  'lib/journal/decisions/suspensions.ts': 'is what suspensions end by',
  'lib/http/requests.ts': 'is what suspensions end by',
  'lib/http/ingresses.ts': 'is handed down',
  'lib/reconcile/status/status-document.ts': 'is what certificates end by',
  'lib/cli/commands/remote.ts': 'is what suspensions end by',
  'lib/cli/commands/rollback/revert.ts': 'stands on what is written down',
  'lib/cli/commands/log.ts': 'is what a person means by "since"',
  'lib/cli/commands/logs.ts': 'is what a person means by "since"',
  'lib/cli/commands/validate.ts': 'is from when on windows are looked for that open',
  'lib/cli/text/time.ts': 'is what a person means by a time',
  'lib/cli/commands/unanswered.ts': 'is what approvals end by',
  'lib/cli/commands/deployment.ts': 'is shown: how long ago something was seen',
  'lib/cli/commands/status.ts': 'is shown: how long ago something was seen',
  'lib/cli/client/known-status.ts': 'decides which suspensions are in force',
  'lib/cli/text/status/status-text.ts': 'is shown: how long ago something was seen',
  'lib/git/remote/github-app.ts': 'stands in what an app signs, and is what its tokens end by',
  'lib/docker/observe/observe.ts': 'is compared with what an engine says',
  'lib/docker/observe/looks.ts': 'says with whom a process begins that looks once',
  'lib/docker/observe/look-closer.ts': 'is handed down',
  'lib/docker/observe/credible.ts': 'is compared with what an engine says',
  'lib/docker/api/connection/expired-certificate.ts': 'is what certificates end by',
}

/**
 * Who opens files by other means than lib/file/read-regular.ts, which waits for no pipe and reads no device, and why: nobody
 * else may have put something there, or it is seen to there.
 */
const openers: Readonly<Record<string, string>> = {
  'lib/file/read-regular.ts': 'is that means',
  'lib/cli/main.ts': 'reads a file of the package',
  'lib/daemon/open-files.ts': 'reads what the kernel says',
  'lib/writer/on-engine/machine.ts': 'reads what the kernel says',
  'lib/writer/socket-holders.ts': 'reads what the kernel says',
  'lib/writer/lock.ts': 'makes a file that is not there',
  'lib/journal/store/database.ts': 'makes or opens the journal in the state directory, which is its own',
  'lib/secrets/key.ts': 'reads the state directory, which is its own',
  'lib/git/store.ts': 'makes a file that is not there',
  'lib/git/objects/pack/index-pack.ts': 'reads a pack that was just written',
  'lib/git/local/replace-locked.ts': 'makes a file that is not there',
  'lib/git/local/write-local.ts': 'makes a file that is not there',
  'lib/metadata-server/run.ts': 'reads a volume that nobody else writes to',
  'lib/metadata-server/records.ts': 'reads a volume that nobody else writes to',
  'lib/git/directory/scan-directory.ts':
    'follows no link, waits for no pipe, and reads no more than was there',
  'lib/secrets/files.ts': 'follows no link, waits for no pipe, and reads no more than a secret has',
}

/**
 * Who lets promises race, and why all of them end soon after: what waits keeps something in each promise for as long as
 * that is pending. A wait that a signal ends is `abortable`, which keeps nothing.
 */
const racing: Readonly<Record<string, string>> = {
  'lib/reconcile/repository/identity/identify.ts': 'made for one question to all sites',
  'lib/reconcile/site/identity/twin.ts': 'made for one question to all sites',
}

/** How many files a room has at most before its ideas get rooms of their own. */
const mostFiles = 15

/** Rooms that are lists of equals, which stay whole however long they are. */
const lists: Readonly<Record<string, string>> = {
  lib: 'what everybody may use, and the places of one file',
  'lib/spec/grammar': 'one file for each kind of value',
}

const pureModules = ['node:crypto', 'node:net', 'node:path', 'node:url', 'node:util']
const impure =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.|\bprocess\.|\bsetTimeout\(|\bfetch\(|\/clock\.ts'/

describe('the architecture', () => {
  it('lets every file import only downwards, as the table says', () => {
    const allowed = (from: string, to: string) =>
      from === to || leaves.includes(to) || (mayImport[from]?.includes(to) ?? false)
    const upwards = sources.flatMap(({ path, place, imports }) =>
      imports
        .filter(isOurs)
        .filter(to => !allowed(place, placeOf(to)))
        .map(to => `${path} imports ${to}`),
    )
    expect(upwards).to.deep.equal([])
  })

  it('has a row for every place, and no row for what is not there', () => {
    const places = new Set(sources.map(({ place }) => place))
    expect([...leaves, ...Object.keys(mayImport)].sort()).to.deep.equal([...places].sort())
  })

  it('has no permission that nobody uses', () => {
    const used = new Set(
      sources.flatMap(({ place, imports }) => imports.filter(isOurs).map(to => `${place} → ${placeOf(to)}`)),
    )
    const unused = Object.entries(mayImport)
      .flatMap(([from, tos]) => tos.map(to => `${from} → ${to}`))
      .filter(edge => !used.has(edge))
    expect(unused).to.deep.equal([])
  })

  it('has no room of many files whose ideas have no rooms of their own', () => {
    const written = sources.filter(({ path }) => !path.endsWith('.gen.ts'))
    const rooms = Map.groupBy(written, ({ path }) => dirname(path))
    const full = [...rooms].filter(([room, files]) => files.length > mostFiles && !Object.hasOwn(lists, room))
    expect(full.map(([room, files]) => `${room}: ${files.length}`)).to.deep.equal([])
    expect([...rooms.keys()]).to.include.members(Object.keys(lists))
  })

  it('has no circles, not even of types', () => {
    const importsOf = sources.map(({ path, imports }) => [path, imports.filter(isOurs)] as const)
    expect(circlesIn(new Map(importsOf))).to.deep.equal([])
  })

  it('keeps every library to the places that hide it', () => {
    const strays = sources.flatMap(({ path, place, imports }) =>
      imports
        .filter(name => ![owners[name] ?? place].flat().includes(place))
        .map(name => `${path} imports ${name}`),
    )
    expect(strays).to.deep.equal([])
  })

  it('A61 G24 searches for the next opening of windows in one place, which remembers what it found', () => {
    const isSearch = ({ path }: { readonly path: string }) => path !== 'lib/fleet/window/window.ts'
    expect(matching(/\bwindowAt\b/, isSearch)).to.deep.equal(['lib/fleet/window/window-clock.ts: windowAt'])
  })

  it('starts other programs, of the system, in one place only', () => {
    const starters = sources.filter(({ imports }) =>
      imports.some(name => /^(node:)?child_process$/.test(name)),
    )
    expect(starters.map(({ path }) => path)).to.deep.equal(['lib/git/program.ts'])
  })

  it('G24 makes timers in one place, which knows how long Node.js can wait', () => {
    const timers = /(?<!\.)\bset(Timeout|Interval)\(|AbortSignal\.timeout\(|node:timers\/promises'/
    const allowed = ['lib/wait/timer.ts', 'lib/git/objects/rest.ts']
    expect(matching(timers, ({ path }) => !allowed.includes(path))).to.deep.equal([])
  })

  it('derives signals in one place, so that a call leaves nothing that outlives it', () => {
    expect(matching(/\bAbortSignal\.any\(/, () => true)).to.deep.equal([])
  })

  it('G22 lets only promises race that end soon, so that nothing is kept of each wait as long as a daemon runs', () => {
    const found = sources.filter(({ text }) => /\bPromise\.race\(/.test(text))
    expect(found.map(({ path }) => path)).to.have.members(Object.keys(racing))
  })

  it('G24 hands everything to the few places that print, which make it harmless', () => {
    const writes =
      /\bconsole\.|\bprocess\.std(out|err)\b|\bwriteSync\(|\/dev\/std|\.writeHead\(|\breply\b[^;]*\.send\(|\bsocket\.(end|write)\(|\bnew transports\b/
    const others = matching(writes, ({ path }) => !Object.hasOwn(printers, path))
    expect(others).to.deep.equal([])
    expect(sources.map(({ path }) => path)).to.include.members(Object.keys(printers))
  })

  it('G24 makes texts harmless where they are printed, and nowhere on the way', () => {
    const users = sources.filter(({ imports }) => imports.includes('lib/text/printable.ts'))
    expect(users.map(({ path }) => path)).to.have.members(edges)
  })

  it('decides without a clock, a network, a disk or chance', () => {
    const isPure = ({ place }: Source) => pure.includes(place)
    const reaching = sources
      .filter(isPure)
      .flatMap(({ path, imports }) =>
        imports
          .filter(name => name.startsWith('node:') && !pureModules.includes(name))
          .map(name => `${path} imports ${name}`),
      )
    expect([...reaching, ...matching(impure, isPure)]).to.deep.equal([])
  })

  it('G17 reads no clock but in one place, so that no age depends on a clock that somebody may put back', () => {
    const readings = /\bDate\.now\b|\bnew Date\(\)|\bperformance\.|\bhrtime\b/
    expect(matching(readings, ({ path }) => path !== 'lib/clock.ts')).to.deep.equal([])
  })

  it('G17 knows the time of day only where it is written down, shown, or outlives the process', () => {
    const knowing = sources.filter(({ text }) => /\b(nowMs|timeOfDayMs|ofDayMs)\b/.test(text))
    expect(knowing.map(({ path }) => path)).to.have.members(Object.keys(timeOfDay))
  })

  it('reads labels in one way, for which a blank one is none (G10)', () => {
    const reads = /\?\.\[(label\.|'tallyman\.)|\b[lL]abels\[/
    expect(
      matching(reads, ({ path }) => path !== 'lib/state/labels.ts' && path !== 'lib/http/metrics.ts'),
    ).to.deep.equal([])
  })

  it('makes containers where what their images are labelled with is seen to, and nowhere else (G10)', () => {
    const makers = sources.filter(({ text }) => text.includes("'/containers/create'"))
    const apart = makers.filter(
      ({ imports }) => !imports.includes('lib/docker/container/config/inherited.ts'),
    )
    // the one that puts the same container, with all labels that it bears, in the place of another
    expect(apart.map(({ path }) => path)).to.deep.equal(['lib/docker/container/make-anew.ts'])
  })

  it('knows the words of the proxy in one place, whose commands others run and whose paths they use', () => {
    const words = /\bcaddy\b|\b2019\b|\/config\/@id/i
    const knowing = sources.filter(({ path, place, text }) => {
      return place !== 'ingress' && !path.endsWith('.gen.ts') && words.test(text)
    })
    // the name of the usual image, and a hint for operators who run their own
    expect(knowing.map(({ path }) => path)).to.deep.equal(['lib/config/ingress-config.ts'])
  })

  it('makes directories in the one way that ends everywhere', () => {
    expect(matching(/\bmkdir(Sync)?\([^)]*recursive/)).to.deep.equal([])
  })

  it('G12 G24 opens what somebody else may have put there in one way, which waits for no pipe', () => {
    const opening =
      /\bimport \{[^}]*\b(open|openSync|openAsBlob|readFile|readFileSync|createReadStream)\b[^}]*\} from 'node:fs(\/promises)?'|\bimport (?!type\b)[\w*]+[^{}'\n]* from 'node:fs(\/promises)?'|\bimport\('node:fs|\bpromises\.(open|readFile)\b/
    const found = sources.filter(({ text }) => opening.test(text))
    expect(found.map(({ path }) => path)).to.have.members(Object.keys(openers))
  })

  it('G24 hands no list over as single arguments, of which the stack holds only so many', () => {
    const spread = /\.(push|unshift)\([^(){}\n]*\.\.\.|\bMath\.(max|min)\([^{}\n]*\.\.\./
    expect(matching(spread)).to.deep.equal([])
  })

  it('takes down what people say in one place, whichever way they say it (D4)', () => {
    const places = ['answers', 'journal']
    expect(matching(/\brecordAnswer\b/, ({ place }) => !places.includes(place))).to.deep.equal([])
  })

  it('has no state at the level of a module', () => {
    expect(matching(/^(export )?(let|var) /m)).to.deep.equal([])
  })

  it('names what it exports, and says where it comes from', () => {
    expect(matching(/^export default\b/m)).to.deep.equal([])
    expect(matching(/^export (\*|\{[^}]*\}) from /m)).to.deep.equal([])
    expect(sources.filter(({ path }) => path.endsWith('/index.ts'))).to.deep.equal([])
  })
})

function matching(pattern: RegExp, among: (source: Source) => boolean = () => true): readonly string[] {
  return sources.filter(among).flatMap(({ path, text }) => {
    const found = pattern.exec(text)?.[0]
    return found === undefined ? [] : [`${path}: ${found.trim()}`]
  })
}
