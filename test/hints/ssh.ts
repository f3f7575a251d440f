import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openSource } from '../../lib/git/source.ts'
import type { GitAuth } from '../../lib/state/repository/git-auth.ts'
import { createRepository, type Repository } from '../support/git/repository.ts'
import { makeKey, type SshServer, startSshServer } from '../support/network/ssh-server.ts'
import { followedIn, type Room, toldOf } from './followed.ts'

/** A repository that is reached over SSH. */
type Scene = {
  readonly server: SshServer
  readonly repository: Repository
  auth: GitAuth
  /** Where programs of the system are looked for. */
  path: string | undefined
  /** What the last failure said. */
  message: string
}

const { signal } = new AbortController()

/** What is told of looking a commit up. */
const room: Room<Scene> = {
  open: async () => {
    const server = await startSshServer()
    const repository = await createRepository()
    await repository.commit({ 'a.json': '{}' })
    const { keyFile: sshKeyFile, knownHostsFile } = server
    return {
      server,
      repository,
      auth: { sshKeyFile, knownHostsFile },
      path: process.env['PATH'],
      message: '',
    }
  },
  look: async scene => {
    const { server, repository, auth, path } = scene
    const before = process.env['PATH']
    process.env['PATH'] = path
    try {
      const source = openSource({ url: server.urlOf(repository.bare), auth }, join(server.directory, 'state'))
      await source.lookUp(signal)
      return []
    } catch (error) {
      const told = toldOf(error)
      scene.message = told.map(({ message }) => message).join()
      return told
    } finally {
      process.env['PATH'] = before
    }
  },
  close: async ({ server, repository }) => {
    await repository[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  },
}

const ours = (scene: Scene) => join(scene.server.directory, 'ours')

/** Has the configuration name a key of that content. */
async function withKey(scene: Scene, put: (file: string) => Promise<unknown>): Promise<void> {
  await put(ours(scene))
  scene.auth = { ...scene.auth, sshKeyFile: ours(scene) }
}

/** A key that the server lets in, in the place of the one that is named. */
async function admitted(scene: Scene): Promise<void> {
  await rm(ours(scene), { force: true })
  await copyFile(scene.server.keyFile, ours(scene))
  await chmod(ours(scene), 0o600)
}

async function program(scene: Scene, script: string, mode: number): Promise<void> {
  const directory = join(scene.server.directory, 'bin')
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'ssh'), script)
  await chmod(join(directory, 'ssh'), mode)
  scene.path = directory
}

const key = (put: (file: string, scene: Scene) => Promise<unknown>) => (scene: Scene) =>
  withKey(scene, file => put(file, scene))

async function knowing(scene: Scene, lines: string): Promise<void> {
  const knownHostsFile = join(scene.server.directory, 'ours_known')
  await writeFile(knownHostsFile, lines)
  scene.auth = { ...scene.auth, knownHostsFile }
}

async function otherKey(scene: Scene): Promise<void> {
  await makeKey(ours(scene))
  const [kind, blob] = (await readFile(`${ours(scene)}.pub`, 'utf8')).split(' ')
  await knowing(scene, `[127.0.0.1]:${scene.server.port} ${kind} ${blob}\n`)
}

export const overSsh = followedIn(room, [
  {
    code: 'repository-invalid',
    hint: 'Name it with "repository: {auth: {sshKeyFile: …}}" in the configuration; docs/configuration.md shows how to make one.',
    wrong: scene => {
      scene.auth = { knownHostsFile: scene.server.knownHostsFile }
    },
    follow: {
      'Name it with "repository: {auth: {sshKeyFile: …}}" in the configuration': scene => {
        scene.auth = { ...scene.auth, sshKeyFile: scene.server.keyFile }
      },
    },
    says: ['docs/configuration.md shows how to make one'],
  },
  {
    code: 'repository-invalid',
    hint: 'Give "repository: {auth: {sshKeyFile: …}}" a path without quotes, backslashes, control characters and the signs % $ ~.',
    wrong: scene => {
      scene.auth = { ...scene.auth, sshKeyFile: '/etc/tallyman/$USER.key' }
    },
    follow: {
      'Give "repository: {auth: {sshKeyFile: …}}" a path without quotes, backslashes, control characters and the signs % $ ~':
        scene => {
          scene.auth = { ...scene.auth, sshKeyFile: scene.server.keyFile }
        },
    },
  },
  {
    code: 'git-key-unusable',
    hint: 'Run "chmod 600" on the file.',
    wrong: key(async (file, { server }) => {
      await copyFile(server.keyFile, file)
      await chmod(file, 0o640)
    }),
    follow: { 'Run "chmod 600" on the file': scene => chmod(ours(scene), 0o600) },
  },
  {
    code: 'git-key-unusable',
    hint: 'Name the private key, the file of that name without ".pub".',
    wrong: scene => {
      scene.auth = { ...scene.auth, sshKeyFile: `${scene.server.keyFile}.pub` }
      return chmod(`${scene.server.keyFile}.pub`, 0o600)
    },
    follow: {
      'Name the private key, the file of that name without ".pub"': scene => {
        scene.auth = { ...scene.auth, sshKeyFile: scene.server.keyFile }
      },
    },
  },
  {
    code: 'git-key-unusable',
    wrong: key(file => writeFile(file, 'word', { mode: 0o600 })),
    follow: {
      'Make a key with "ssh-keygen -t ed25519 -N \'\' -f FILE", add FILE.pub to the account on the server, and name FILE with "repository: {auth: {sshKeyFile: …}}" in the configuration':
        async scene => {
          const file = join(scene.server.directory, 'made')
          await promisify(execFile)('ssh-keygen', ['-t', 'ed25519', '-N', '', '-f', file])
          const known = join(scene.server.directory, 'authorized_keys')
          await writeFile(known, await readFile(`${file}.pub`, 'utf8'))
          scene.auth = { ...scene.auth, sshKeyFile: file }
        },
    },
  },
  {
    code: 'git-key-unusable',
    hint: 'Take the passphrase off with "ssh-keygen -p -f FILE", or make a separate key for tallyman.',
    wrong: key(async (file, { server }) => {
      await copyFile(server.keyFile, file)
      await chmod(file, 0o600)
      await promisify(execFile)('ssh-keygen', ['-p', '-f', file, '-P', '', '-N', 'open sesame'])
    }),
    follow: {
      'Take the passphrase off with "ssh-keygen -p -f FILE"': scene =>
        promisify(execFile)('ssh-keygen', ['-p', '-f', ours(scene), '-P', 'open sesame', '-N', '']),
      'make a separate key for tallyman': admitted,
    },
  },
  {
    code: 'git-key-unusable',
    hint: 'Copy the key again in full: ssh needs all its lines, a line break after the last one, and no carriage returns.',
    wrong: key(async (file, { server }) => {
      const whole = await readFile(server.keyFile, 'utf8')
      await writeFile(file, whole.trimEnd(), { mode: 0o600 })
    }),
    follow: {
      'Copy the key again in full': scene => copyFile(scene.server.keyFile, ours(scene)),
    },
    says: ['ssh needs all its lines, a line break after the last one, and no carriage returns'],
  },
  {
    code: 'git-host-unknown',
    hint: 'Compare the fingerprint with the one that the server\'s operators publish. If it is the same, add the line to the file that "knownHostsFile" names.',
    wrong: scene => knowing(scene, ''),
    follow: {
      'If it is the same, add the line to the file that "knownHostsFile" names': scene =>
        knowing(scene, `${scene.message.split('The line to add: ')[1]}\n`),
    },
    says: ["Compare the fingerprint with the one that the server's operators publish"],
  },
  {
    code: 'git-host-unknown',
    wrong: async scene => {
      await knowing(scene, '')
      await program(scene, '#!/bin/sh\nexec /usr/bin/ssh "$@"\n', 0o755)
    },
    follow: {
      'Run "ssh-keyscan -p PORT HOST"': async scene => {
        const args = ['-p', String(scene.server.port), '127.0.0.1']
        const { stdout } = await promisify(execFile)('ssh-keyscan', args)
        await knowing(scene, stdout)
      },
    },
    says: [
      "compare the key of the type that the error names with the one that the server's operators publish",
      'and add its line to the file that "knownHostsFile" names',
    ],
  },
  {
    code: 'git-host-changed',
    hint: 'Ask the server\'s operators whether the key was replaced, and compare the fingerprint with the one that they publish. If it is the same, put the new line in place of the old ones of this host in the file that "knownHostsFile" names.',
    wrong: otherKey,
    follow: {
      'If it is the same, put the new line in place of the old ones of this host in the file that "knownHostsFile" names':
        scene => knowing(scene, `${scene.message.split('The new line: ')[1]}\n`),
    },
    says: [
      "Ask the server's operators whether the key was replaced, and compare the fingerprint with the one that they publish",
    ],
  },
  {
    code: 'git-host-changed',
    wrong: async scene => {
      await otherKey(scene)
      await program(scene, '#!/bin/sh\nexec /usr/bin/ssh "$@"\n', 0o755)
    },
    follow: {
      'If so, put the new line in place of the old one in the file that "knownHostsFile" names': scene =>
        knowing(scene, `${scene.server.hostLine}\n`),
    },
    says: ["Ask the server's operators whether the key was replaced"],
  },
  {
    code: 'git-credentials-unreadable',
    wrong: async scene => {
      scene.auth = { ...scene.auth, knownHostsFile: scene.server.directory }
    },
    follow: {
      'Correct the path of the file under "auth" of "repository" in the configuration': scene => {
        scene.auth = { ...scene.auth, knownHostsFile: scene.server.knownHostsFile }
      },
    },
    says: ['or the permissions of the file'],
  },
  {
    code: 'program-missing',
    hint: "Install OpenSSH's client or GnuPG for the user that runs tallyman; on Debian: apt-get install openssh-client",
    wrong: scene => {
      scene.path = '/nonexistent'
    },
    follow: {
      "Install OpenSSH's client or GnuPG for the user that runs tallyman": scene => {
        scene.path = process.env['PATH']
      },
    },
    says: ['on Debian: apt-get install openssh-client'],
  },
  {
    code: 'program-failed',
    wrong: scene => program(scene, '#!/bin/sh\nexec /usr/bin/ssh "$@"\n', 0o644),
    follow: {
      'correct what keeps it from starting or ending': ({ server }) =>
        chmod(join(server.directory, 'bin', 'ssh'), 0o755),
    },
    says: ['Run the program by hand as the user that tallyman runs as, and'],
  },
  {
    code: 'program-failed',
    hint: 'Give the user that tallyman runs as a line in /etc/passwd, in a container that of its image: OpenSSH runs for no other.',
    wrong: scene => program(scene, '#!/bin/sh\necho "No user exists for uid 65532" >&2\nexit 255\n', 0o755),
    follow: {
      // It is a script in place of ssh that does not know the user.
      'Give the user that tallyman runs as a line in /etc/passwd': scene => {
        scene.path = process.env['PATH']
      },
    },
    says: ['in a container that of its image: OpenSSH runs for no other'],
  },
])
