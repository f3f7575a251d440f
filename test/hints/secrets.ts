import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { createRedaction } from '../../lib/reconcile/repository/secrets/redaction.ts'
import { loadSecrets, type SecretSources } from '../../lib/secrets/load.ts'
import { strictPolicy } from '../../lib/spec/policy/policy.ts'
import { validateRepository } from '../../lib/validate/repository.ts'
import { snapshotOf } from '../support/builders/snapshot.ts'
import { encryptSops } from '../support/files/sops.ts'
import { followedIn, problemTold, type Room } from './followed.ts'

/** A repository whose application needs secrets, and what gives them. */
type Scene = {
  readonly files: Record<string, string>
  readonly directory: string
  config: SecretSources['config']
  env: NodeJS.ProcessEnv
}

const web = 'applications/web.yaml'
const sops = 'environments/prod/secrets.yaml'

const room: Room<Scene> = {
  open: async () => ({
    files: {
      'environments/prod/manifest.json': '{"services": [{"name": "web"}]}',
      [web]: needing('db-password'),
    },
    directory: await mkdtemp(join(tmpdir(), 'tallyman-hints-')),
    config: {},
    env: { TALLYMAN_SECRET_DB_PASSWORD: 'word' },
  }),
  look: async ({ files, config, env }) => {
    const snapshot = snapshotOf(files)
    const secrets = await loadSecrets(snapshot, 'environments/prod', {
      config,
      env,
      key: Buffer.from('key'),
      memory: {},
      redaction: createRedaction(),
    })
    const { problems } = await validateRepository(snapshot, {
      source: 'ops/manifests',
      policy: strictPolicy,
      healthyMs: 5_000,
      sandboxImage: 'busybox:stable',
      secrets,
    })
    return [...problems, ...(secrets.warnings ?? [])].map(problemTold)
  },
  close: ({ directory }) => rm(directory, { recursive: true }),
}

function needing(...names: readonly string[]): string {
  const env = names.map((name, index) => `S${index}: {secret: ${name}}`)
  return `name: web\nservices: [{name: web, containers: [{name: web, image: "web:1", env: {${env.join(', ')}}}]}]\n`
}

async function encrypted(identity: string): Promise<string> {
  return encryptSops(
    { 'db-password': 'word' },
    { format: 'yaml', recipients: [await identityToRecipient(identity)] },
  )
}

function readable({ directory }: { readonly directory: string }): Promise<void> {
  return writeFile(join(directory, 'mail-password'), 'word', { mode: 0o600 })
}

export const inSecrets = followedIn(room, [
  {
    code: 'secret-missing',
    wrong: ({ files }) => Object.assign(files, { [web]: needing('mail-password') }),
    follow: {
      'Add it to one of the providers under "secrets" in tallyman.yaml': async scene => {
        await writeFile(join(scene.directory, 'mail-password'), 'word', { mode: 0o600 })
        scene.config = { directory: scene.directory }
      },
      'correct its name': ({ files }) => Object.assign(files, { [web]: needing('db-password') }),
    },
  },
  {
    code: 'secret-ambiguous',
    wrong: ({ files }) => Object.assign(files, { [web]: needing('db-password', 'DB_PASSWORD') }),
    follow: {
      'Use one of the two names everywhere': ({ files }) =>
        Object.assign(files, { [web]: needing('db-password', 'db-password') }),
      'provide the secrets as files': async scene => {
        await writeFile(join(scene.directory, 'DB_PASSWORD'), 'word', { mode: 0o600 })
        scene.config = { directory: scene.directory }
      },
      'a SOPS document': async scene => {
        const identity = await generateIdentity()
        scene.files[sops] = await encrypted(identity)
        scene.env = { ...scene.env, SOPS_AGE_KEY: identity }
      },
    },
  },
  {
    code: 'secrets-unreadable',
    wrong: async scene => {
      Object.assign(scene.files, { [web]: needing('mail-password') })
      await writeFile(join(scene.directory, 'mail-password'), Buffer.from([0xff, 0xfe]), { mode: 0o600 })
      scene.config = { directory: scene.directory }
    },
    follow: {
      'Correct the path': async scene => {
        const good = join(scene.directory, 'good')
        await mkdir(good)
        await writeFile(join(good, 'mail-password'), 'word', { mode: 0o600 })
        scene.config = { directory: good }
      },
      'the permissions': readable,
      'the content of the file that the message names': readable,
    },
  },
  {
    code: 'secrets-undecryptable',
    wrong: async scene => {
      scene.files[sops] = await encrypted(await generateIdentity())
      scene.env = { SOPS_AGE_KEY: await generateIdentity() }
    },
    follow: {
      'Encrypt the file with SOPS for an age key whose private half is in "secrets.ageKeyFile"':
        async scene => {
          const identity = await generateIdentity()
          scene.files[sops] = await encrypted(identity)
          const ageKeyFile = join(scene.directory, 'age')
          await writeFile(ageKeyFile, identity)
          scene.config = { ageKeyFile }
        },
      SOPS_AGE_KEY_FILE: async scene => {
        const identity = await generateIdentity()
        scene.files[sops] = await encrypted(identity)
        const file = join(scene.directory, 'age')
        await writeFile(file, identity)
        scene.env = { SOPS_AGE_KEY_FILE: file }
      },
      SOPS_AGE_KEY: async scene => {
        const identity = await generateIdentity()
        scene.files[sops] = await encrypted(identity)
        scene.env = { SOPS_AGE_KEY: identity }
      },
    },
  },
  {
    code: 'secrets-tampered',
    wrong: async scene => {
      const identity = await generateIdentity()
      scene.env = { SOPS_AGE_KEY: identity }
      const good = await encrypted(identity)
      scene.files['good.yaml'] = good
      scene.files[sops] = good.replace('2024-05-21', '2024-05-22')
    },
    follow: {
      'restore the last good version': ({ files }) => Object.assign(files, { [sops]: files['good.yaml'] }),
    },
    says: ['Find out who changed it and why', 'and change it with "sops edit"'],
  },
  {
    code: 'secrets-exposed',
    wrong: async scene => {
      const file = join(scene.directory, 'token')
      await writeFile(file, 'word')
      await chmod(file, 0o644)
      scene.config = { directory: scene.directory }
    },
    follow: {
      'Take the permission away: chmod o-r': ({ directory }) => chmod(join(directory, 'token'), 0o640),
    },
  },
])
