import type { Config } from '../../../lib/config.ts'
import { Failure } from '../../../lib/errors.ts'
import { desiredState } from '../../../lib/reconcile/repository/desired.ts'
import type { World } from '../../../lib/reconcile/world.ts'
import { type Files, snapshotOf } from '../builders/snapshot.ts'
import { manifestOf, memoryWorlds } from '../memory/memory-daemon.ts'
import { memoryEngine } from '../memory/memory-engine.ts'

const { signal } = new AbortController()
export const hex = (digit: string, length: number) => digit.repeat(length)

/** The applications of an environment by name and tag. */
export const tags = (services: Readonly<Record<string, string>>): Files => manifestOf('prod', services)

/** A specification of `web` with a version of its own. */
export function web(version: string, tag: string, mode = 'plain'): Files {
  return {
    'environments/prod/manifest.json': JSON.stringify({
      services: [{ name: 'web', containers: [{ dockerName: 'registry.example.com/web', dockerTag: tag }] }],
    }),
    'applications/web.yaml': `
name: web
version: "${version}"
services:
  - name: web
    containers:
      - name: web
        image: registry.example.com/web
        env: {MODE: ${mode}}
`,
  }
}

/**
 * A repository with this history, the commits called by their digits, whose commits are looked at one after the other.
 * A tag `4` has the digest of fours, unless the registry says otherwise.
 */
export function commitHistory(
  history: Readonly<Record<string, Files>>,
  config: Partial<Config> = {},
  engine = memoryEngine(),
) {
  const [first] = memoryWorlds({ files: tags({}), config, engines: [engine] }).worlds
  if (first === undefined) throw new Error('there is one')
  const registry = { answers: true, moved: new Map<string, string>() }
  const gone = new Set<string>()
  let newest = ''
  let nowMs = 0
  let steadyMs = 0
  const world: World = Object.assign(first, {
    nowMs: () => nowMs,
    steadyMs: () => steadyMs,
    source: {
      ...first.source,
      lookUp: async () => newest,
      async snapshot(commit: string) {
        const digit = commit[0] ?? ''
        const files = history[digit]
        if (files === undefined || gone.has(digit)) throw new Failure('commit-unreachable', `has no ${digit}`)
        return snapshotOf(files, { commit })
      },
    },
  })
  for (const engine of first.engines)
    Object.assign(engine, {
      async distribution(reference: string) {
        const tag = /[0-9a-f]$/.exec(reference)?.[0] ?? '0'
        if (!registry.answers) throw new Failure('registry-unreachable', 'no answer')
        return {
          digest: `sha256:${hex(registry.moved.get(tag) ?? tag, 64)}`,
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
        }
      },
    })
  const look = async (digit: string) => {
    newest = hex(digit, 40)
    nowMs += 1000
    const { desired } = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
    return desired
  }
  return {
    world,
    /** Pushes a commit, which is looked at later. */
    newest(digit: string) {
      newest = hex(digit, 40)
    },
    registry,
    gone,
    passTime(ms: number) {
      steadyMs += ms
    },
    look,
    async lookAll() {
      for (const digit of Object.keys(history)) await look(digit)
    },
    kept: (application: string) =>
      world.journal
        .keptVersions('prod', application)
        .map(({ version, commit, atMs }) => `${version} ${commit[0]} ${atMs / 1000}s`),
  }
}
