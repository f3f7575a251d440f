import { expectSettled, type Scenario } from '../../../scenes/fixture-scene.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { createScene } from '../scene.ts'

const scenarios: readonly Scenario[] = [
  {
    fixture: 'ticket-deployment',
    environment: 'prod',
    images: { 'avassa-public/movie-theaters-demo/ticket-blipper:v1.0': {} },
    containers: 1,
  },
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
]

describe('planning again after an apply', () => {
  const it = sideBySide()

  for (const scenario of scenarios) {
    it(`G2 finds nothing to do: fixtures/${scenario.fixture}`, async () => {
      await using scene = await createScene()
      await expectSettled(scene, scenario)
    })
  }
})
