import { expect } from 'chai'
import { plain, prod } from '../../unit/resolve/resolve-prod.ts'

describe('resolve', () => {
  it('resolves 2,500 services', async () => {
    const services = Array.from({ length: 2_500 }, (_, index) => plain(`service-${index}`))
    const { applications } = await prod({ services })
    expect(applications).to.have.length(2_500)
  })
})
