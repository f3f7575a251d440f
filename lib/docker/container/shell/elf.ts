/**
 * Whether a program needs a loader from the file system around it, because it is linked with libraries. What is no
 * program in the format of Linux needs something else, which is not there either.
 */
export function needsLoader(program: Buffer): boolean {
  const [isElf, is64, isLittle] = [program.subarray(0, 4).equals(magic), program[4] === 2, program[5] === 1]
  if (!isElf || program.length < 64) return true
  const number = (at: number, bytes: number) =>
    isLittle ? program.readUIntLE(at, bytes) : program.readUIntBE(at, bytes)
  const headers = is64 ? number(isLittle ? 32 : 34, 6) : number(28, 4)
  const size = number(is64 ? 54 : 42, 2)
  const count = number(is64 ? 56 : 44, 2)
  return Array.from({ length: count }, (_, index) => headers + index * size).some(
    at => at + 4 > program.length || number(at, 4) === interpreter,
  )
}

const magic = Buffer.from('\x7fELF', 'latin1')

/** The type of the header that names a loader. */
const interpreter = 3
