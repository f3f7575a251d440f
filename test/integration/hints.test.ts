import { real } from '../hints/table.ts'

describe('hints', () => {
  for (const { code, clauses } of real)
    for (const clause of clauses)
      if ('follow' in clause)
        it(`G13 help when they are followed to the letter: ${code}, ${clause.words}`, clause.follow)
})
