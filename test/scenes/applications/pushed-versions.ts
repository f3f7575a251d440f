import { expect } from 'chai'
import { engineGet } from '../../support/engine/engine-call.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { expectCode } from '../plan-document.ts'
import type { AnyScene, Manifest } from '../scene.ts'

export const tags = ['1', '2', '3', '4', '5'] as const

/** Versions 1 to `last` of `web`, one after the other; the last one runs. */
export async function deployed(scene: AnyScene, last: number): Promise<readonly PushedImage[]> {
  const pushed = await Promise.all(
    tags.slice(0, last).map(tag => scene.push('web', tag, { env: { V: tag } })),
  )
  for (const image of pushed) {
    await scene.commit(manifest(image))
    expectCode(await scene.tallyman.run('apply', '--yes'), 0)
  }
  return pushed
}

/** Demands a pushed image by its digest. */
export function manifest(image: PushedImage | undefined): Manifest {
  const dockerTag = image?.reference.slice(image.reference.lastIndexOf(':') + 1) ?? ''
  const dockerDigest = image?.digest ?? ''
  return { services: [{ name: 'web', containers: [{ dockerTag, dockerDigest }] }] }
}

/** The tags of those images that the engine has. */
export async function present(
  { dockerSocket }: AnyScene,
  images: readonly PushedImage[],
): Promise<readonly (typeof tags)[number][]> {
  const listed: readonly { readonly RepoDigests: readonly string[] | null }[] = JSON.parse(
    JSON.stringify(await engineGet(dockerSocket, '/images/json')),
  )
  const there = listed.flatMap(({ RepoDigests }) => RepoDigests ?? [])
  return tags.filter((_, index) => there.includes(images[index]?.pinned ?? ''))
}

/** Rolls `web` back to an image that the engine kept, and expects it to run without anything more to do. */
export async function expectRolledBackTo(scene: AnyScene, image: PushedImage | undefined): Promise<void> {
  await scene.commit(manifest(image), 'Roll back')
  expectCode(await scene.tallyman.run('apply', '--yes'), 0)
  const [running] = await scene.containers()
  expect(running?.labels).to.include({ 'tallyman.image': image?.reference })
  expect(running?.state).to.equal('running')
  expectCode(await scene.tallyman.run('plan', '--detailed-exitcode'), 0)
}
