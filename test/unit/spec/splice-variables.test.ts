import { expect } from 'chai'
import { spliceVariables } from '../../../lib/spec/splice-variables.ts'
import { refusal } from '../../support/failures/refusal.ts'

const yaml = (text: string) => ({ file: 'variables.yaml', text })
const json = (text: string) => ({ file: 'variables.json', text })
const now = '# of the site\nblog: {A: b} # theirs\n\nshop: # ours\n  A: "2"\n  # more\n  B: c\n# the end\n'

describe('the variables of an application that are put back', () => {
  it('A12 A70 are written as they were, with their comments, and nothing else changes', () => {
    expect(spliceVariables('shop', yaml(now), yaml('shop:\r\n  A: 1 # one\r\nblog: {}\r\n'))).to.equal(
      '# of the site\nblog: {A: b} # theirs\n\nshop:\n  A: 1 # one\n# the end\n',
    )
    expect(spliceVariables('blog', yaml(now), yaml('blog:\n  A: |\n    a\n\n    b\nz: {}'))).to.equal(
      now.replace('blog: {A: b} # theirs\n', 'blog:\n  A: |\n    a\n\n    b\n'),
    )
  })

  it('A12 A70 go where they were not there, and come behind those before which they stood', () => {
    expect(spliceVariables('shop', yaml(now), yaml('blog: {A: b}\n'))).to.equal(
      '# of the site\nblog: {A: b} # theirs\n\n# the end\n',
    )
    expect(spliceVariables('web', yaml(now), yaml('blog: {}\nweb: {C: d}\nshop: {}'))).to.equal(
      now.replace('# theirs\n', '# theirs\nweb: {C: d}\n'),
    )
    expect(spliceVariables('web', yaml('blog: {A: b}'), yaml('blog: {}\nweb: {C: d}'))).to.equal(
      'blog: {A: b}\nweb: {C: d}\n',
    )
    expect(spliceVariables('web', yaml('# none\n'), yaml('web: {C: d}'))).to.equal('# none\nweb: {C: d}\n')
  })

  it('A12 A70 come and go in JSON, too, with the margin of the file, and nothing else changes', () => {
    const lines = '{\n  "blog": {"A": "b"},\n  "web": {}\n}\n'
    const there = json('{"blog": {}, "shop": {\n  "A": "1"\n}}')
    expect(spliceVariables('shop', json(lines), there)).to.equal(
      '{\n  "blog": {"A": "b"},\n  "shop": {\n    "A": "1"\n  },\n  "web": {}\n}\n',
    )
    expect(spliceVariables('shop', json('{}\n'), there)).to.equal('{"shop": {\n  "A": "1"\n}}\n')
    expect(spliceVariables('shop', json(lines), yaml('shop: {A: "1"}'))).to.equal(
      '{\n  "shop": {"A":"1"},\n  "blog": {"A": "b"},\n  "web": {}\n}\n',
    )
    expect(spliceVariables('blog', json(lines), json('{}'))).to.equal('{\n  "web": {}\n}\n')
    expect(spliceVariables('web', json(lines), json('{}'))).to.equal('{\n  "blog": {"A": "b"}\n}\n')
  })

  it('A12 A70 may come from a file of the other kind', () => {
    const there = json('{"shop": {"A": "1"}, "blog": {}}')
    expect(spliceVariables('shop', yaml(now), there)).to.include('\n"shop": {"A":"1"}\n')
    const here = json('{ "blog": {"A": "b"},  "shop": {"A": "2"} }')
    expect(spliceVariables('shop', here, yaml('shop: {A: "1"}'))).to.equal(here.text.replace('"2"', '"1"'))
  })

  it('A12 A70 are refused where the file has another shape, or refers to them elsewhere', async () => {
    const refused = (name: string, file: string) => [
      `${file}: /${name} cannot be put back without touching something else (rollback-refused)`,
    ]
    const flow = yaml('{blog: {A: b}, shop: {A: "2"}}')
    expect(await refusal(() => spliceVariables('shop', flow, yaml('shop: {A: "1"}')))).to.deep.equal(
      refused('shop', 'variables.yaml'),
    )
    const referred = yaml('blog: &a {A: b}\nshop: *a\n')
    expect(await refusal(() => spliceVariables('blog', referred, yaml('{}')))).to.deep.equal(
      refused('blog', 'variables.yaml'),
    )
  })
})
