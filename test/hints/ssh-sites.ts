import { execFile } from 'node:child_process'
import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connect } from '../../lib/docker/connect.ts'
import type { SshSettings } from '../../lib/endpoint.ts'
import { type SshSite, sshSite } from '../support/engine/ssh-site.ts'
import { makeKey } from '../support/network/ssh-server.ts'
import { followedIn, type Room, toldOf } from './followed.ts'

/** A site that is reached over SSH. */
type Scene = { readonly there: SshSite; ssh: Partial<SshSettings>; message: string }

const { signal } = new AbortController()

/** What is told of asking the engine who it is. */
const room: Room<Scene> = {
  open: async () => ({ there: await sshSite(), ssh: {}, message: '' }),
  look: async scene => {
    const engine = connect(scene.there.site({ ssh: scene.ssh }), async () => undefined)
    try {
      await engine.info(signal)
      return []
    } catch (error) {
      const told = toldOf(error)
      scene.message = told.map(({ message }) => message).join()
      return told
    } finally {
      engine.close()
    }
  },
  close: async ({ there }) => there[Symbol.asyncDispose](),
}

const ours = ({ there }: Scene, name: string) => join(there.server.directory, name)

async function withKey(scene: Scene, mode: number): Promise<void> {
  const keyFile = ours(scene, 'ours')
  await copyFile(scene.there.server.keyFile, keyFile)
  await chmod(keyFile, mode)
  scene.ssh = { keyFile }
}

async function knowing(scene: Scene, lines: string): Promise<void> {
  const knownHostsFile = ours(scene, 'ours_known')
  await writeFile(knownHostsFile, lines)
  scene.ssh = { knownHostsFile }
}

const published = [
  "Ask the host's operators whether the key was replaced, and compare the fingerprint with the one that they publish",
]

export const sitesOverSsh = followedIn(room, [
  {
    code: 'engine-key-unusable',
    wrong: async scene => {
      await writeFile(ours(scene, 'ours'), 'word', { mode: 0o600 })
      scene.ssh = { keyFile: ours(scene, 'ours') }
    },
    follow: {
      'Make a key with "ssh-keygen -t ed25519 -N \'\' -f FILE", add FILE.pub to ~/.ssh/authorized_keys of the user on the host, and name FILE with "ssh: {keyFile: …}" of the site in the configuration':
        async scene => {
          const keyFile = ours(scene, 'made')
          await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile])
          await writeFile(ours(scene, 'authorized_keys'), await readFile(`${keyFile}.pub`, 'utf8'))
          scene.ssh = { keyFile }
        },
    },
  },
  {
    code: 'engine-key-unusable',
    hint: 'Check the paths under "ssh" of the site, and make sure that tallyman may read the files.',
    wrong: scene => {
      scene.ssh = { keyFile: ours(scene, 'away') }
    },
    follow: {
      'Check the paths under "ssh" of the site': scene => {
        scene.ssh = {}
      },
      'make sure that tallyman may read the files': scene => withKey(scene, 0o600),
    },
  },
  {
    code: 'engine-key-unusable',
    hint: 'Run "chmod 600" on the file.',
    wrong: scene => withKey(scene, 0o644),
    follow: { 'Run "chmod 600" on the file': scene => chmod(ours(scene, 'ours'), 0o600) },
  },
  {
    code: 'engine-host-unknown',
    wrong: scene => knowing(scene, ''),
    follow: {
      'If it is the same, add the line to the file that "knownHostsFile" names': scene =>
        knowing(scene, `${scene.message.split('The line to add: ')[1]}\n`),
    },
    says: [
      "Compare the fingerprint with the one that the host's operators publish",
      'on the host, "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub" prints it',
    ],
  },
  {
    code: 'engine-host-changed',
    wrong: async scene => {
      await makeKey(ours(scene, 'other'))
      const [kind, blob] = (await readFile(`${ours(scene, 'other')}.pub`, 'utf8')).split(' ')
      await knowing(scene, `[127.0.0.1]:${scene.there.server.port} ${kind} ${blob}\n`)
    },
    follow: {
      'If it is the same, put the new line in place of the old ones of this host in the file that "knownHostsFile" names':
        scene => knowing(scene, `${scene.message.split('The new line: ')[1]}\n`),
    },
    says: published,
  },
])
