import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient } from '../../lib/cli/client/client.ts'
import type { CommonFlags } from '../../lib/cli/options/flags.ts'
import { controlSocketOf } from '../../lib/cli/options/state-dir.ts'
import type { Flags } from '../../lib/config/overlay.ts'
import { loadConfig } from '../../lib/config.ts'
import { openParts } from '../../lib/daemon.ts'
import { serveControl } from '../../lib/http/socket.ts'
import { type Journal, openJournal } from '../../lib/journal/journal.ts'
import { migrations } from '../../lib/journal/store/migrations.ts'
import { markKey } from '../../lib/secrets/key.ts'
import { memoryJournal } from '../support/memory/memory-journal.ts'
import { type FollowedHint, followedIn, type Room, toldOf } from './followed.ts'

/** A state directory. */
type Scene = {
  readonly directory: string
  readonly stateDir: string
  flags: Flags
  env: NodeJS.ProcessEnv
  tallyman: string
  /** Another process that has the journal open. */
  holder?: DatabaseSync
}

/** What is told by whatever opens it. */
const room: Room<Scene> = {
  open: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-hints-'))
    const stateDir = join(directory, 'state')
    return { directory, stateDir, flags: {}, env: {}, tallyman: `stateDir: ${stateDir}` }
  },
  look: async ({ directory, flags, env, tallyman }) => {
    const config = join(directory, 'tallyman.yaml')
    await writeFile(config, tallyman)
    try {
      const loaded = loadConfig({ config, repository: directory, ...flags }, env)
      await openParts(loaded).close()
      await markKey(loaded.stateDir)
      return []
    } catch (error) {
      return toldOf(error)
    }
  },
  close: ({ directory }) => rm(directory, { recursive: true }),
}

async function putAway({ directory, stateDir }: Pick<Scene, 'directory' | 'stateDir'>): Promise<void> {
  await rename(stateDir, join(directory, 'before'))
}

export const inPlaces = followedIn(room, [
  {
    code: 'state-dir-unusable',
    wrong: async ({ directory, ...scene }) => writeFile(scene.stateDir, ''),
    follow: {
      'Name a writable directory with --state-dir': scene => {
        scene.flags = { stateDir: join(scene.directory, 'other') }
      },
      TALLYMAN_STATE_DIR: scene => {
        scene.env = { TALLYMAN_STATE_DIR: join(scene.directory, 'other') }
      },
      '"stateDir"': scene => {
        scene.tallyman = `stateDir: ${join(scene.directory, 'other')}`
      },
    },
  },
  {
    code: 'journal-corrupt',
    wrong: async ({ stateDir }) => {
      await mkdir(stateDir)
      await writeFile(join(stateDir, 'tallyman.sqlite'), 'not a database at all '.repeat(100))
    },
    follow: {
      'Stop tallyman, move tallyman.sqlite and the files named after it out of the state directory, and start again':
        putAway,
    },
    says: ['history and approvals are lost, but nothing that runs is touched'],
  },
  {
    code: 'secret-key-damaged',
    wrong: async ({ stateDir }) => {
      await mkdir(stateDir)
      await writeFile(join(stateDir, 'secret.key'), 'cut off')
    },
    follow: {
      'Put back secret.key from a backup': ({ stateDir }) =>
        writeFile(join(stateDir, 'secret.key'), `${'0a'.repeat(32)}\n`),
      'If there is none, remove it': ({ stateDir }) => rm(join(stateDir, 'secret.key')),
    },
    says: ['then every secret looks changed once'],
  },
  {
    code: 'journal-newer',
    wrong: ({ stateDir }) => {
      openJournal(join(stateDir, 'tallyman.sqlite')).close()
      setVersion(stateDir, 99)
    },
    follow: {
      'Run that version again': ({ stateDir }) => setVersion(stateDir, migrations.length),
      'move tallyman.sqlite out of the state directory to start without history': putAway,
    },
  },
  {
    code: 'journal-unusable',
    wrong: async ({ stateDir }) => {
      await mkdir(join(stateDir, 'tallyman.sqlite'), { recursive: true })
    },
    follow: {
      'Make sure that the state directory is a directory, and that its files belong to the user that tallyman runs as':
        putAway,
    },
  },
])

/** A process that works with a state directory. */
const open: Room<{ readonly directory: string; readonly stateDir: string; journal: Journal }> = {
  open: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-hints-'))
    const stateDir = join(directory, 'state')
    return { directory, stateDir, journal: openJournal(join(stateDir, 'tallyman.sqlite')) }
  },
  look: ({ journal }) => {
    try {
      journal.clearWaiting('prod')
      return []
    } catch (error) {
      return toldOf(error)
    }
  },
  close: async ({ directory, journal }) => {
    journal.close()
    await rm(directory, { recursive: true })
  },
}

/** Where the state directory goes while a process works with it. */
export const whileOpen: readonly FollowedHint[] = followedIn(open, [
  {
    code: 'state-dir-gone',
    wrong: putAway,
    follow: {
      'Start tallyman again': scene => {
        scene.journal.close()
        scene.journal = openJournal(join(scene.stateDir, 'tallyman.sqlite'))
      },
      'put the state directory back before': ({ directory, stateDir }) =>
        rename(join(directory, 'before'), stateDir),
    },
    says: [
      'unless its supervisor does',
      'If you can',
      'without it, history and approvals are lost, and every secret looks changed once, unless you put back its secret.key. Nothing else that runs is touched',
    ],
  },
])

function setVersion(stateDir: string, version: number): void {
  const sqlite = new DatabaseSync(join(stateDir, 'tallyman.sqlite'))
  sqlite.exec(`PRAGMA user_version = ${version}`)
  sqlite.close()
}

/** Where a command looks for a daemon. */
const control: Room<{ readonly directory: string; flags: CommonFlags; servers: AsyncDisposableStack }> = {
  open: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-hints-'))
    return { directory, flags: { stateDir: directory }, servers: new AsyncDisposableStack() }
  },
  look: async ({ flags }) => {
    try {
      await createClient(controlSocketOf(flags)).get('/api/v1/environments')
      return []
    } catch (error) {
      return toldOf(error)
    }
  },
  close: async ({ directory, servers }) => {
    await servers.disposeAsync()
    await rm(directory, { recursive: true })
  },
}

async function startDaemon(servers: AsyncDisposableStack, stateDir: string): Promise<void> {
  await mkdir(stateDir, { recursive: true })
  const journal = memoryJournal()
  const file = join(stateDir, 'control.sock')
  const server = await serveControl({ file, running: [], journal, nowMs: Date.now })
  servers.defer(() => server.close())
}

export const withControl = followedIn(control, [
  {
    code: 'daemon-unreachable',
    wrong: () => undefined,
    follow: {
      'Start "tallyman daemon"': ({ servers, directory }) => startDaemon(servers, directory),
      'name its state directory with --state-dir': async scene => {
        const stateDir = join(scene.directory, 'other')
        await startDaemon(scene.servers, stateDir)
        scene.flags = { stateDir }
      },
    },
  },
])

/** A state directory whose journal another process holds. */
export const whileHeld = followedIn(room, [
  {
    code: 'journal-busy',
    wrong: scene => {
      openJournal(join(scene.stateDir, 'tallyman.sqlite')).close()
      scene.holder = new DatabaseSync(join(scene.stateDir, 'tallyman.sqlite'))
      scene.holder.exec('BEGIN EXCLUSIVE')
    },
    follow: {
      'Stop the process that holds the file, such as a second tallyman on the same state directory': ({
        holder,
      }) => holder?.close(),
    },
    says: ['tallyman tries again by itself'],
  },
])
