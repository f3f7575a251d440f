import { expect } from 'chai'
import { onceFor } from '../../../lib/memo/once-for.ts'

describe('what follows from a value', () => {
  it('is computed once for each value, also if nothing follows', () => {
    const asked: string[] = []
    const nameOf = onceFor(({ name }: { readonly name?: string }) => {
      asked.push(name ?? 'nobody')
      return name
    })
    const [ada, nobody] = [{ name: 'ada' }, {}]
    expect([ada, ada, nobody, nobody, { name: 'ada' }].map(nameOf)).to.deep.equal([
      'ada',
      'ada',
      undefined,
      undefined,
      'ada',
    ])
    expect(asked).to.deep.equal(['ada', 'nobody', 'ada'])
  })
})
