import { expect } from 'chai'
import { container } from '../../../../unit/spec/built.ts'

describe('secrets in a specification (G16)', () => {
  it('refuses G24 more than a container may be given in files', () => {
    const twice = 'mounts: [{volume-name: big, mount-path: /a}, {volume-name: big, mount-path: /b}]'
    const big = `volumes: [{name: big, config-map: {items: [{name: a, data: ${'x'.repeat(600_000)}}]}}]`
    expect(container(twice, big)).to.deep.equal({
      problems: ['mounts holds 1200000 bytes in files, and 1 MiB is the most (application-invalid)'],
    })
  })
})
