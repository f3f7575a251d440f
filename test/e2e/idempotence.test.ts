import { expect } from 'chai'
import { fixtureFiles } from '../support/fixture.ts'
import { type ImageOptions, serves } from '../support/images.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { expectCode } from './document.ts'
import { createScene } from './scene.ts'

/** A fixture, the environment of it that is run, and the images it names. */
type Scenario = {
  readonly fixture: string
  readonly environment: string
  readonly images: Readonly<Record<string, ImageOptions>>
  readonly containers: number
}

const web: ImageOptions = { cmd: serves(8000), files: { '/www/index.html': 'hello' } }
const worker: ImageOptions = {
  files: { '/bin/worker': '#!/bin/sh\ntrap "exit 0" TERM\nsleep 1000000 & wait $!\n' },
}

const done = '#!/bin/sh\n'

const scenarios: readonly Scenario[] = [
  { fixture: 'empty', environment: 'prod', images: {}, containers: 0 },
  {
    fixture: 'includes',
    environment: 'prod',
    images: {
      'gateway:1.0.0': {},
      'shop:2.3.0': {},
      'payments:4.1.0': {},
      'api-events:e96ae0a': {},
      'monitoring:0.9.1': {},
    },
    containers: 5,
  },
  { fixture: 'overriding', environment: 'prod', images: { 'web:2.0.0': {}, 'cache:7.2': {} }, containers: 2 },
  {
    fixture: 'several-instances',
    environment: 'prod',
    images: { 'worker:1.0.0': {}, 'worker:1.1.0': { env: { V: '1.1.0' } } },
    containers: 3,
  },
  { fixture: 'two-environments', environment: 'devel', images: { 'web:1.1.0': {} }, containers: 1 },
  { fixture: 'tour', environment: 'prod', images: { 'web:1': {} }, containers: 2 },
  {
    fixture: 'ticket-manager',
    environment: 'prod',
    images: { 'avassa-public/movie-theaters-demo/ticket-blipper:v1.0': {} },
    containers: 1,
  },
  {
    fixture: 'shop',
    environment: 'prod',
    images: { 'events-logger:0.1.4': {}, 'shop-web:2.0.0': web, 'shop-worker:2.0.0': worker },
    containers: 4,
  },
  {
    fixture: 'hooks',
    environment: 'prod',
    images: {
      'shop-web:latest': { files: { '/bin/backup': done, '/bin/migrate': done, '/bin/announce': done } },
      'cinema-pop:latest': {},
      'cinema-projector:latest': {},
    },
    containers: 5,
  },
]

describe('planning again after an apply', () => {
  const it = sideBySide()

  for (const { fixture, environment, images, containers } of scenarios) {
    it(`G2 finds nothing to do: fixtures/${fixture}`, async () => {
      await using scene = await createScene()
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
    })
  }
})
