import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../lib/docker/connect.ts'
import { optional } from '../../lib/object.ts'
import { createPauses } from '../../lib/registry/api/pause.ts'
import { loginFor } from '../../lib/registry/credentials.ts'
import { movedTags } from '../../lib/registry/moved.ts'
import { pinImages } from '../../lib/registry/pin.ts'
import { pinnedImage } from '../../lib/spec/image.ts'
import type { Image } from '../../lib/state/application/container/container.ts'
import type { DesiredState } from '../../lib/state/application/desired.ts'
import { desired } from '../support/builders/builders.ts'
import { removeImagesOf } from '../support/engine/clean-up.ts'
import { engineCall } from '../support/engine/engine-call.ts'
import { hostPlatform, pushImage, pushIndex } from '../support/images/images.ts'
import { type Registry, startRegistry } from '../support/images/registry.ts'
import { runningSocket, uniqueName } from '../support/suite/env.ts'
import { followedIn, problemTold, type Room, toldOf } from './followed.ts'

/** A registry with one image, what a manifest says of it, and what the configuration says of registries. */
type Scene = {
  readonly directory: string
  registry: Registry
  /** More of them. */
  readonly others: Registry[]
  dockerName: string
  dockerTag: string
  dockerDigest?: string
  /** What the container says. */
  platform?: string
  /** The section of the configuration that names the image, in place of the container. */
  section?: Image['configuredIn']
  /** `registry` of the configuration. */
  prefix?: string
  passwordFile?: string
  /** Of an earlier commit, which is still the newest. */
  pinned?: DesiredState
}

const socket = runningSocket()
const { signal } = new AbortController()

/** What is told of pinning an image, by a process that begins anew. */
const room: Room<Scene> = {
  open: async () => {
    const registry = await startRegistry()
    await pushImage(registry, 'team/web', '1')
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-hints-'))
    return { directory, registry, others: [], dockerName: `${registry.host}/team/web`, dockerTag: '1' }
  },
  look: async scene => {
    try {
      if (scene.pinned !== undefined)
        return (await movedTags(scene.pinned, contextOf(scene), signal)).map(problemTold)
      const { blocked, warnings } = await pinImages(wanted(scene), contextOf(scene), signal)
      return [...blocked.flatMap(({ problems }) => problems), ...warnings].map(problemTold)
    } catch (error) {
      return toldOf(error)
    }
  },
  close: async ({ directory, registry, others }) => {
    for (const one of [registry, ...others]) {
      await removeImagesOf(socket, one.host)
      await one.stop()
    }
    await rm(directory, { recursive: true })
  },
}

function contextOf({ passwordFile, registry }: Scene): Parameters<typeof pinImages>[1] {
  const accounts =
    passwordFile === undefined ? [] : [{ host: registry.host, username: 'robot', passwordFile }]
  const login = (host: string) => loginFor(accounts, host)
  return {
    engine: connect({ name: 'local', endpoint: `unix://${socket}` }, login),
    resolutions: { find: () => undefined, remember: () => undefined },
    login,
    commit: 'commit',
    pauses: createPauses(),
  }
}

function wanted({ dockerName, dockerTag, dockerDigest, platform, section, prefix }: Scene): DesiredState {
  const image = pinnedImage(
    { dockerName, dockerTag, ...(dockerDigest === undefined ? {} : { dockerDigest }) },
    prefix,
  )
  if (!image.ok) throw new Error(image.reason)
  const state = desired({})
  return {
    ...state,
    applications: state.applications.map(application => ({
      ...application,
      services: application.services.map(service => ({
        ...service,
        instances: service.instances.map(instance => ({
          ...instance,
          containers: [
            {
              ...instance.containers[0],
              image: {
                ...image.value,
                ...optional('platform', platform),
                ...optional('configuredIn', section),
              },
            },
          ] as const,
        })),
      })),
    })),
  }
}

/** The same images in a registry that wants a login. */
async function locked(scene: Scene): Promise<void> {
  scene.others.push(scene.registry)
  scene.registry = await startRegistry({ auth: { scheme: 'basic', username: 'robot', password: 'word' } })
  await pushImage(scene.registry, 'team/web', '1')
  scene.dockerName = `${scene.registry.host}/team/web`
}

async function login(scene: Scene): Promise<void> {
  scene.passwordFile = join(scene.directory, 'password')
  await writeFile(scene.passwordFile, 'word\n')
}

export const inRegistries = followedIn(room, [
  {
    code: 'image-not-found',
    wrong: scene => Object.assign(scene, { dockerTag: '2' }),
    follow: {
      'Push the image': ({ registry }) => pushImage(registry, 'team/web', '2'),
      'correct its name or tag': scene => Object.assign(scene, { dockerTag: '1' }),
    },
  },
  {
    code: 'image-not-found',
    hint: 'Push the image for that platform, or correct "platform" of the container (in a pod: the labels "os" and "arch" of its image).',
    wrong: scene => Object.assign(scene, { platform: 'linux/s390x' }),
    follow: {
      'Push the image for that platform': ({ registry }) =>
        pushIndex(registry, 'team/web', '1', { platforms: ['linux/s390x'] }),
      'correct "platform" of the container (in a pod: the labels "os" and "arch" of its image)': scene =>
        Object.assign(scene, { platform: hostPlatform }),
    },
  },
  {
    code: 'image-not-found',
    hint: 'Make the image available where its registry is asked, or name another one with "sandbox: {image: …}" in tallyman.yaml.',
    wrong: scene => Object.assign(scene, { dockerTag: '2', section: 'sandbox' }),
    follow: {
      'Make the image available where its registry is asked': ({ registry }) =>
        pushImage(registry, 'team/web', '2'),
      'name another one with "sandbox: {image: …}" in tallyman.yaml': scene =>
        Object.assign(scene, { dockerTag: '1' }),
    },
  },
  {
    code: 'digest-mismatch',
    wrong: async scene => {
      const { digest } = await pushImage(scene.registry, 'team/web', '2')
      scene.dockerDigest = digest
    },
    follow: {
      'Correct dockerTag': scene => Object.assign(scene, { dockerTag: '2' }),
      dockerDigest: async scene => {
        const { digest } = await pushImage(scene.registry, 'team/web', '1')
        scene.dockerDigest = digest
      },
    },
    says: ['have the tag moved back', 'in a pod the "id" of the image'],
  },
  {
    code: 'digest-mismatch',
    wrong: async scene => {
      const { digest } = await pushImage(scene.registry, 'team/web', '1')
      scene.dockerDigest = digest
      await pushImage(scene.registry, 'team/web', '1', { env: { MOVED: 'yes' } })
    },
    follow: { 'have the tag moved back': ({ registry }) => pushImage(registry, 'team/web', '1') },
    says: ['Correct dockerTag', 'dockerDigest', 'in a pod the "id" of the image'],
  },
  {
    code: 'registry-denied',
    wrong: locked,
    follow: {
      'Correct the name of the image': scene =>
        Object.assign(scene, { dockerName: `${scene.others[0]?.host}/team/web` }),
      'the login under "registries" in the configuration': login,
    },
  },
  {
    code: 'registry-unreachable',
    wrong: ({ registry }) => registry.off(),
    follow: { 'Check the registry and the network': ({ registry }) => registry.on() },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'registry-rate-limited',
    wrong: ({ registry }) => registry.fail(429, { 'retry-after': '90' }),
    follow: {
      Wait: ({ registry }) => registry.heal(),
      'Registries usually allow more requests with a login under "registries" in the configuration':
        async scene => {
          await locked(scene)
          await login(scene)
        },
      'through a mirror that the configuration names as "registry"': async scene => {
        const mirror = await startRegistry()
        scene.others.push(mirror)
        await pushImage(mirror, 'team/web', '1')
        Object.assign(scene, { dockerName: 'team/web', prefix: mirror.host })
      },
    },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'registry-credentials-unreadable',
    wrong: async scene => {
      await locked(scene)
      scene.passwordFile = join(scene.directory, 'pasword')
    },
    follow: {
      'Correct "passwordFile" under "registries" in the configuration': login,
      'the permissions of the file': ({ directory }) => writeFile(join(directory, 'pasword'), 'word\n'),
    },
  },
  {
    code: 'image-unverified',
    wrong: async scene => {
      const name = `${scene.registry.host}/team/${uniqueName('local')}`
      await ok(`/images/create?fromImage=${encodeURIComponent(`${scene.dockerName}:1`)}`)
      await ok(`/images/${scene.dockerName}:1/tag?repo=${name}&tag=1`)
      scene.dockerName = name
    },
    follow: {
      'Push the image to a registry, and use its name in that registry': async scene => {
        await pushImage(scene.registry, 'team/pushed', '1')
        scene.dockerName = `${scene.registry.host}/team/pushed`
      },
    },
  },
  {
    code: 'tag-moved',
    wrong: async scene => {
      scene.pinned = await pinImages(wanted(scene), contextOf(scene), signal)
      await pushImage(scene.registry, 'team/web', '1', { env: { MOVED: 'yes' } })
    },
    follow: {
      'Commit the digest': async scene => {
        const { digest } = await pushImage(scene.registry, 'team/web', '1', { env: { MOVED: 'yes' } })
        scene.dockerDigest = digest
        scene.pinned = await pinImages(wanted(scene), contextOf(scene), signal)
      },
      'a new tag': async scene => {
        await pushImage(scene.registry, 'team/web', '2')
        scene.dockerTag = '2'
        scene.pinned = await pinImages(wanted(scene), contextOf(scene), signal)
      },
    },
    says: ['to follow it'],
  },
  {
    code: 'tag-unverified',
    wrong: async scene => {
      const { digest, pinned } = await pushImage(scene.registry, 'team/web', '1')
      await ok(`/images/create?fromImage=${encodeURIComponent(pinned)}`)
      scene.dockerDigest = digest
      await scene.registry.off()
    },
    follow: {
      'tallyman checks again once the registry answers': ({ registry }) => registry.on(),
    },
    says: ['Nothing to do'],
  },
])

async function ok(path: string): Promise<void> {
  const { status, body } = await engineCall(socket, 'POST', path)
  if (status >= 300 || body.includes('"error"')) throw new Error(`${path}: ${status} ${body.toString()}`)
}
