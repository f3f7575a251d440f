import { testTwoMachines } from '../../../scenes/two-machines.ts'
import { createScene } from '../scene.ts'

describe('two daemons on two machines that reach one simulated engine', () => {
  testTwoMachines(() => createScene())
})
