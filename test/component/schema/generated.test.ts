import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { generated, inRepository } from '../../../schemas/generate.ts'

describe('what is generated', () => {
  for (const { path, make } of generated)
    it(`${path} is what its source makes; if not, run: node schemas/generate.ts`, async () => {
      expect((await readFile(inRepository(path), 'utf8')) === (await make())).to.equal(true)
    })
})
