import { expect } from 'chai'
import { parseYaml } from '../../../lib/document/yaml.ts'
import { refusal } from '../../support/failures/refusal.ts'

describe('YAML files', () => {
  it('G24 bounds depth and length', async () => {
    const [deep] = await refusal(() => parseYaml('a.yaml', '['.repeat(5000)))
    expect(deep).to.match(
      /: more than 100 objects and lists stand inside one another \(document-too-complex\)$/,
    )
    expect(await refusal(() => parseYaml('a.yaml', ' '.repeat(1024 * 1024 + 1)))).to.deep.equal([
      'a.yaml:1:1: has more than 1048576 characters; at most so many are read in one file (document-too-complex)',
    ])
  })
})
