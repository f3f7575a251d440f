import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { expect } from 'chai'

const directory = new URL('../../../schemas/', import.meta.url)

describe('schemas', () => {
  for (const name of readdirSync(directory).filter(name => name.endsWith('.schema.json')))
    it(`${name} keeps the rules for JSON Schemas, which no start of tallyman checks again`, () => {
      const schema = JSON.parse(readFileSync(new URL(name, directory), 'utf8'))
      expect(() =>
        new Ajv({ allowUnionTypes: true, code: { optimize: false } }).compile(schema),
      ).not.to.throw()
    })
})
