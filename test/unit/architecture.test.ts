import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect } from 'chai'

/** Facts and words that everybody may use; they import nothing of ours but each other. */
const leaves = ['errors', 'mask', 'nearest', 'node-http', 'printable']

/**
 * Who may import whom, besides the leaves: folders of lib, and files beside them. Types count. What is not in the
 * table does not exist yet; it gets its row with its first file.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  // the ways in
  cli: [
    'apply',
    'config',
    'daemon',
    'git',
    'journal',
    'log',
    'plan',
    'reconcile',
    'resolve',
    'spec',
    'state',
  ],
  daemon: ['config', 'docker', 'engine', 'git', 'http', 'journal', 'log', 'reconcile', 'registry', 'writer'],
  http: ['journal', 'plan', 'reconcile'],
  // the line
  reconcile: [
    'apply',
    'config',
    'engine',
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
  resolve: ['ingress', 'manifest', 'spec', 'state'],
  manifest: ['document', 'schema', 'state'],
  spec: ['document', 'schema', 'state'],
  // edges
  docker: ['engine', 'plan', 'state'],
  git: ['request', 'state'],
  journal: ['plan', 'state'],
  registry: ['engine', 'state'],
  engine: ['plan', 'state'],
  request: [],
  secrets: ['document', 'state'],
  writer: [],
  // what all of it stands on
  config: ['config.gen', 'document', 'schema', 'spec'],
  'config.gen': [],
  schema: ['document'],
  document: [],
  log: [],
  state: [],
}

/** Libraries that one place hides from the rest. */
const owners: Readonly<Record<string, string>> = {
  dockerode: 'docker',
  'tar-stream': 'docker',
  'isomorphic-git': 'git',
  chokidar: 'git',
  'node:sqlite': 'journal',
  ajv: 'schema',
  yaml: 'document',
  re2js: 'state',
  'age-encryption': 'secrets',
  winston: 'log',
  commander: 'cli',
  listr2: 'cli',
  '@inquirer/prompts': 'cli',
}

/** No clock, no network, no disk, no chance. */
const pure = ['document', 'ingress', 'manifest', 'plan', 'resolve', 'spec', 'state']
const pureModules = ['node:crypto', 'node:net', 'node:path', 'node:util']
const impure =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.|\bprocess\.|\bsetTimeout\(|\bfetch\(/

type Source = {
  /** `lib/plan/diff.ts` */
  readonly path: string
  /** `plan` */
  readonly place: string
  readonly text: string
  /** What it imports: files of ours by path, everything else by name. */
  readonly imports: readonly string[]
}

const root = resolve(import.meta.dirname, '../..')
const sources = globSync('lib/**/*.ts', { cwd: root }).sort().map(read)

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

  it('has no circles, not even of types', () => {
    expect(circles()).to.deep.equal([])
  })

  it('keeps every library to the one place that hides it', () => {
    const strays = sources.flatMap(({ path, place, imports }) =>
      imports
        .filter(name => owners[name] !== undefined && owners[name] !== place)
        .map(name => `${path} imports ${name}`),
    )
    expect(strays).to.deep.equal([])
  })

  it('starts no other program', () => {
    const starters = sources.filter(({ imports }) =>
      imports.some(name => /^(node:)?child_process$/.test(name)),
    )
    expect(starters.map(({ path }) => path)).to.deep.equal([])
  })

  it('writes to the terminal from the command line only', () => {
    expect(
      matching(/\bconsole\.|\bprocess\.std(out|err)\b/, ({ place }) => place !== 'cli' && place !== 'log'),
    ).to.deep.equal([])
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

  it('has no state at the level of a module', () => {
    expect(matching(/^(export )?(let|var) /m)).to.deep.equal([])
  })

  it('names what it exports, and says where it comes from', () => {
    expect(matching(/^export default\b/m)).to.deep.equal([])
    expect(matching(/^export (\*|\{[^}]*\}) from /m)).to.deep.equal([])
    expect(sources.filter(({ path }) => path.endsWith('/index.ts'))).to.deep.equal([])
  })
})

function read(path: string): Source {
  const text = withoutComments(readFileSync(join(root, path), 'utf8'))
  const named = (pattern: RegExp) => [
    ...new Set([...text.matchAll(pattern)].map(([, name = '']) => target(path, name))),
  ]
  return {
    path,
    place: placeOf(path),
    text,
    imports: named(/\b(?:from|import)\s*\(?\s*'([^']+)'/g),
  }
}

/** Comments that stand on lines of their own. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\/.*|\/\*\*?[\s\S]*?\*\/)$/gm, '')
}

function target(from: string, name: string): string {
  return name.startsWith('.') ? join(dirname(from), name) : name
}

function isOurs(name: string): boolean {
  return name.startsWith('lib/')
}

/** `lib/plan/rollout/create.ts` is in `plan`, `lib/errors.ts` is `errors`. */
function placeOf(path: string): string {
  const [, first = '', ...more] = path.split('/')
  return more.length === 0 ? first.replace(/\.ts$/, '') : first
}

function matching(pattern: RegExp, among: (source: Source) => boolean = () => true): readonly string[] {
  return sources.filter(among).flatMap(({ path, text }) => {
    const found = pattern.exec(text)?.[0]
    return found === undefined ? [] : [`${path}: ${found.trim()}`]
  })
}

/** Each circle once, as a chain that ends where it began. */
function circles(): readonly string[] {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports.filter(isOurs)] as const))
  const done = new Set<string>()
  const found: string[] = []
  const follow = (path: string, chain: readonly string[]): void => {
    const at = chain.indexOf(path)
    if (at >= 0) found.push([...chain.slice(at), path].join(' → '))
    if (at >= 0 || done.has(path)) return
    for (const next of importsOf.get(path) ?? []) follow(next, [...chain, path])
    done.add(path)
  }
  for (const { path } of sources) follow(path, [])
  return found
}
