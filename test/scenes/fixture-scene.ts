import { expect } from 'chai'
import { fixtureFiles } from '../support/files/fixture.ts'
import type { ImageOptions } from '../support/images/images.ts'
import { expectCode } from './plan-document.ts'
import type { AnyScene } from './scene.ts'

/** A fixture, the environment of it that is run, and the images it names. */
export type Scenario = {
  readonly fixture: string
  readonly environment: string
  readonly images: Readonly<Record<string, ImageOptions>>
  readonly containers: number
}

/** Applies a fixture, and expects a plan right after it to have nothing to do. */
export async function expectSettled(
  scene: AnyScene,
  { fixture, environment, images, containers }: Scenario,
): Promise<void> {
  await Promise.all(
    Object.entries(images).map(([image, options]) => {
      const [name = '', tag = ''] = image.split(':')
      return scene.push(name, tag, options)
    }),
  )
  const moved = Object.entries(await fixtureFiles(fixture)).map(([path, text]) => [
    path.replace(`environments/${environment}/`, `environments/${scene.environment}/`),
    text.replaceAll(/(?<=image: "?)(?=avassa-public|shop-web|cinema-)/g, `${scene.prefix}/`),
  ])
  await scene.repository.commit(Object.fromEntries(moved))
  expectCode(await scene.tallyman.run('apply', '--yes'), 0)
  const before = await scene.containers()
  expect(before.map(({ state }) => state)).to.deep.equal(Array(containers).fill('running'))
  const planned = await scene.tallyman.run('plan', '--detailed-exitcode')
  expectCode(planned, 0)
  expect(planned.stdout).to.match(/^No changes\. What runs is what the manifest says\.$/m)
}
