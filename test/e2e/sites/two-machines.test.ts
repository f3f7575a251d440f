import { createScene } from '../../scenes/scene.ts'
import { testTwoMachines } from '../../scenes/two-machines.ts'

describe('two daemons on two machines that reach one real engine', () => {
  testTwoMachines(() => createScene())
})
