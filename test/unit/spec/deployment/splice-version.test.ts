import { expect } from 'chai'
import { spliceVersion } from '../../../../lib/spec/deployment/splice-version.ts'
import { refusal } from '../../../support/failures/refusal.ts'

const file = 'deployments/shop.yaml'

describe('the version that a deployment names, put back', () => {
  it('A12 changes that word, and neither a comment nor a line break', () => {
    const text = (version: string) =>
      `# who goes first\r\nname: shop\r\napplication-version: ${version}\r\nplacement: {all-sites: true} # all\r\n`
    for (const written of ['"2.0"', "'2.0'", '2.0.0-rc # new', '>-\r\n  2.0'])
      expect(spliceVersion(file, text(written), '1.0')).to.equal(
        text(written.endsWith('# new') ? '"1.0" # new' : '"1.0"'),
      )
  })

  it('A12 is the member of the file itself, in JSON too', () => {
    const json = '{ "placement": {"application-version": "2"},\n  "application-version" : "2" }'
    expect(spliceVersion('deployments/shop.json', json, '*')).to.equal(
      '{ "placement": {"application-version": "2"},\n  "application-version" : "*" }',
    )
    const yaml = 'placement:\n  application-version: "2"\napplication-version: "2"\n'
    expect(spliceVersion(file, yaml, '1')).to.equal(
      'placement:\n  application-version: "2"\napplication-version: "1"\n',
    )
  })

  it('A12 is refused if something else would change with it, or if nothing is written there', async () => {
    const shared = 'application-version: &v "2"\nname: *v\n'
    expect(await refusal(() => spliceVersion(file, shared, '1'))).to.deep.equal([
      `${file}: /application-version cannot be changed without touching something else (rollback-refused)`,
    ])
    expect((await refusal(() => spliceVersion(file, 'name: shop\n', '1'))).join()).to.match(
      /\(rollback-refused\)$/,
    )
    expect((await refusal(() => spliceVersion(file, '- 1\n', '1'))).join()).to.match(/\(rollback-refused\)$/)
  })
})
