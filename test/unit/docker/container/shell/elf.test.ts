import { expect } from 'chai'
import { needsLoader } from '../../../../../lib/docker/container/shell/elf.ts'

/** The beginning of a program of 64 bits with one header of this type. */
function program(type: number, isLittle = true): Buffer {
  const bytes = Buffer.alloc(128)
  bytes.write('\x7fELF', 'latin1')
  bytes[4] = 2
  bytes[5] = isLittle ? 1 : 2
  if (isLittle) {
    bytes.writeBigUInt64LE(64n, 32)
    bytes.writeUInt16LE(56, 54)
    bytes.writeUInt16LE(1, 56)
    bytes.writeUInt32LE(type, 64)
  } else {
    bytes.writeBigUInt64BE(64n, 32)
    bytes.writeUInt16BE(56, 54)
    bytes.writeUInt16BE(1, 56)
    bytes.writeUInt32BE(type, 64)
  }
  return bytes
}

describe('a program', () => {
  for (const isLittle of [true, false])
    it(`C13 runs in any file system if it names no loader (${isLittle ? 'little' : 'big'} end first)`, () => {
      expect(needsLoader(program(1, isLittle))).to.equal(false)
      expect(needsLoader(program(3, isLittle))).to.equal(true)
    })

  for (const [what, bytes] of [
    ['a script', Buffer.from('#!/bin/sh\n')],
    ['an empty file', Buffer.alloc(0)],
    ['a program that ends in its header', program(1).subarray(0, 66)],
  ] as const)
    it(`C13 that is ${what} does not run by itself`, () => {
      expect(needsLoader(bytes)).to.equal(true)
    })
})
