import { expect } from 'chai'
import { redactNothing, redactor } from '../../../../lib/text/redaction/redact.ts'
import { growth } from '../../../support/measure/growth.ts'

describe('redaction', () => {
  it('G17 takes hardly longer for a line where very many texts are hidden', async () => {
    const line =
      'GET /orders/17 from 10.0.0.7 took 12 ms, and the cart of the customer has 3 things. '.repeat(3)
    const redactLines = (count: number) => {
      const redact = redactor(Array.from({ length: count }, (_, index) => `secret-${index}`))
      for (let lines = 0; lines < 2_000; lines += 1) redact(`${lines} ${line}`)
    }
    expect(await growth(redactLines, 2_000, 8)).to.be.below(8)
  })

  it('G17 takes hardly longer for a line where very many texts of a container are hidden', async () => {
    const redactLines = (count: number) => {
      const also = Array.from({ length: count }, (_, index) => `secret-${index}`)
      for (let lines = 0; lines < 2_000; lines += 1) redactNothing(`${lines} the secret is not here`, also)
    }
    expect(await growth(redactLines, 2_000, 8)).to.be.below(8)
  })
})
