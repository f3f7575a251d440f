import { expect } from 'chai'
import { labelsOf } from '../../../lib/state/fleet/labels.ts'
import { warned } from '../../unit/resolve/warned.ts'

describe('labels in expressions that no site has', () => {
  it('G24 are guessed for the first ones only where there are thousands of labels', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => [`label${'x'.repeat(50)}${at}`, ''] as const)
    const expression = Array.from({ length: 100 }, (_, at) => `lable${'x'.repeat(50)}${at}`).join(' or ')
    const told = warned(expression, '', new Map([['north', labelsOf(many)]]))
    expect(told).to.have.lengthOf(100)
    expect(told.filter(text => text.includes('did you mean'))).to.have.lengthOf(4)
  })

  it('G24 are told in a limited number, and guessed for the first ones only', () => {
    const near = [...'abcdefghijklmopqrstuvwxyz'].map(letter => `regio${letter}`)
    const far = Array.from({ length: 500 }, (_, at) => `shelf${at}`)
    const told = warned([...near, ...far].join(' or '))
    expect(told).to.have.lengthOf(100)
    expect(told.filter(text => text.includes('did you mean'))).to.have.lengthOf(20)
  })
})
