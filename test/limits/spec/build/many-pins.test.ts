import { expect } from 'chai'
import { limits } from '../../../../lib/limits.ts'
import { pinsOf } from '../../../../lib/spec/build/pins.ts'
import { pinsOfPod } from '../../../../lib/spec/pod/image/pins.ts'
import type { ServiceEntry } from '../../../../lib/state/application/service-entry.ts'
import { growth, mostInProportion } from '../../../support/measure/growth.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const position = { file: 'environments/prod/manifest.json', line: 1, column: 1 }
const long = 'a'.repeat(200)

/** An entry of a manifest for images of these names. */
function entryOf(names: readonly string[]): ServiceEntry {
  return {
    ...{ name: 'shop', position },
    containers: names.map(dockerName => ({ dockerName, dockerTag: '2', position })),
  }
}

const pins = (images: readonly string[], names: readonly string[]) =>
  pinsOf(images, 'applications/shop.yaml', entryOf(names), 'registry.example.com')

describe('images that a manifest pins', () => {
  const table: readonly (readonly [string, (count: number) => string, (count: number) => string])[] = [
    ['names that nothing has', index => `${long}${index}:1`, index => `n${index}`],
    ['ends of names', index => `team/${long}/n${index}:1`, index => `n${index}`],
    ['the end of all names', index => `team${index}/web:1`, () => 'web'],
    ['one name with many tags', index => `team/web:${index}`, () => 'web'],
  ]
  for (const [what, image, name] of table)
    it(`G24 takes ten times as long for ten times as many images and entries: ${what}`, async () => {
      const work = (count: number) => pins(numbers(count).map(image), numbers(count).map(name))
      expect(await growth(work, 200)).to.be.below(mostInProportion)
    })

  it('G24 says little of each entry that pins nothing, however many and however long the images are', () => {
    const entries = numbers(1_000).map(index => `n${index}`)
    const images = [...numbers(3_000).map(index => `${long}${index}`), `${long.repeat(5_000)}/n1`]
    const apps = [...images.slice(0, 63), `${long.repeat(5_000)}/n1`]
    for (const { problems } of [pins(images, entries), pinsOfPod(apps, 'pod.json', entryOf(entries), 'r')]) {
      expect(problems).to.have.lengthOf(1_000)
      expect(Math.max(...problems.map(({ message }) => message.length))).to.be.below(
        2 * limits.messageCharacters,
      )
    }
  })
})
