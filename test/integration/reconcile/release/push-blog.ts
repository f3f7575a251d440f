import type { PushedImage } from '../../../support/images/images.ts'
import type { Behaviour } from '../../../support/simulated/image/registry.ts'
import { script } from '../../../support/simulated/shell/shell.ts'
import type { Scene } from '../scene.ts'

/**
 * A Pallet application that writes down what it is run as. Its deploy takes the seconds in SLOWLY, and fails in the
 * version `bad`.
 */
const behaves: Behaviour = {
  programs: {
    'run-phase': ([phase = '']) =>
      function* (around) {
        const { TAG = '', SLOWLY = '0' } = around.env
        const note = script('echo "$NOTE" >> /storage/phases')
        const write = (NOTE: string) => note({ ...around, env: { NOTE } })
        yield* write(`${phase} ${TAG}`)
        if (phase === 'deploy') yield { sleepsMs: Number(SLOWLY) * 1000 }
        if (phase === 'deploy') return TAG === 'bad' ? 1 : 0
        around.onTerm(function* () {
          return yield* write(`ended ${TAG}`)
        })
        yield { stays: true }
        return 0
      },
  },
}

/** Pushes it as `blog`. */
export function pushBlog({ push }: Pick<Scene, 'push'>, TAG: string): PushedImage {
  return push('blog', TAG, { behaves, entrypoint: ['/run-phase'], cmd: ['serve'], env: { TAG } })
}
