import { expectSettled, type Scenario } from '../../scenes/fixture-scene.ts'
import { createScene } from '../../scenes/scene.ts'
import { type ImageOptions, serves } from '../../support/images/images.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'

const web: ImageOptions = { cmd: serves(8000), files: { '/www/index.html': 'hello' } }
const worker: ImageOptions = {
  files: { '/bin/worker': '#!/bin/sh\ntrap "exit 0" TERM\nsleep 1000000 & wait $!\n' },
}

const done = '#!/bin/sh\n'

const scenarios: readonly Scenario[] = [
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

  for (const scenario of scenarios) {
    it(`G2 finds nothing to do: fixtures/${scenario.fixture}`, async () => {
      await using scene = await createScene({ commands: 'here' })
      await expectSettled(scene, scenario)
    })
  }
})
