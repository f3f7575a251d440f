import type { FollowedHint } from '../hints/followed.ts'
import { inRegistries } from '../hints/registries.ts'
import { overSsh } from '../hints/ssh.ts'
import { real } from '../hints/table.ts'
import { sideBySide } from '../support/suite/side-by-side.ts'

/** They take programs from the PATH of this process, and images from the engine: nothing may run beside them. */
const alone = [...overSsh, ...inRegistries]

describe('hints', () => {
  followed(
    sideBySide(),
    real.filter(row => !alone.includes(row)),
  )
})

describe('hints of SSH and of registries', () => followed(it, alone))

type It = (title: string, body: () => Promise<void>) => void

function followed(it: It, rows: readonly FollowedHint[]): void {
  for (const { code, clauses } of rows)
    for (const clause of clauses)
      if ('follow' in clause)
        it(`G13 help when they are followed to the letter: ${code}, ${clause.words}`, clause.follow)
}
