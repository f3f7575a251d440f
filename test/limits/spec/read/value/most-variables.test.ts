import { expect } from 'chai'
import { service } from '../../../../unit/spec/built.ts'

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the specification's own syntax
/** What is wrong with such a container, from the word on that says with what. */
const problems = (lines: string, more: string) =>
  service(lines, more).problems.map(problem => problem.slice(problem.indexOf('variables')))

describe('dollars in a specification (A46)', () => {
  it('G24 makes no more than 1 MiB of variables, wherever they are named, and says so at once', () => {
    const long = `variables: [{name: A, value: ${'x'.repeat(2_000)}}]`
    const naming = (times: number) => '"'.concat('${A}'.repeat(times), '"')
    const fault =
      'variables make more than 1 MiB of the texts that name them; write shorter ones, or name them less often (application-invalid)'
    expect(problems(`env: {B: ${naming(500)}}`, long)).to.deep.equal([])
    expect(problems(`env: {B: ${naming(100_000)}}`, long)).to.deep.equal([fault])
    expect(problems(`labels: {B: ${naming(300)}, C: ${naming(300)}}`, long)).to.deep.equal([fault])
    const hook = `strategy: {rollingUpdate: {pre: {execNewPod: {containerName: web, args: [${naming(600)}]}}}}`
    expect(problems('', `${long}\n${hook}`)).to.deep.equal([fault])
  })
})
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the specification's own syntax
