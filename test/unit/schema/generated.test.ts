import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { generated, inRepository, typesOf } from '../../../schemas/generate.ts'

describe('types that are generated from schemas', () => {
  for (const { schema, types } of generated)
    it(`${types} is what ${schema} makes; if not, run: node schemas/generate.ts`, async () => {
      expect(await readFile(inRepository(types), 'utf8')).to.equal(await typesOf(schema))
    })
})
