/** A whole line without its line break. Of a line that is too long only the beginning is there. */
export type Assembled = { readonly bytes: Buffer; readonly isCut: boolean }

/** Makes lines of pieces that begin and end anywhere. */
export type Assembler = {
  /** Whether the next piece begins a line. */
  isEmpty(): boolean
  /** Takes a piece, and returns the lines that it ends. */
  add(bytes: Buffer): readonly Assembled[]
  /** Returns the last line, if no line break ended it. */
  rest(): readonly Assembled[]
}

const newline = 0x0a

/** Creates an assembler that never has more than `mostBytes` of a line in memory. */
export function createAssembler(mostBytes: number): Assembler {
  let parts: Buffer[] = []
  let bytes = 0
  let isBegun = false

  function keep(piece: Buffer): void {
    isBegun = true
    const kept = piece.subarray(0, Math.max(0, mostBytes - bytes))
    // A copy, because a small piece would keep the whole chunk in memory that it is part of.
    if (kept.length > 0) parts.push(Buffer.from(kept))
    bytes += piece.length
  }

  function end(): Assembled {
    const line = { bytes: Buffer.concat(parts), isCut: bytes > mostBytes }
    parts = []
    bytes = 0
    isBegun = false
    return line
  }

  return {
    isEmpty: () => !isBegun,
    add(piece) {
      const lines: Assembled[] = []
      let from = 0
      for (let at = piece.indexOf(newline); at !== -1; at = piece.indexOf(newline, from)) {
        keep(piece.subarray(from, at))
        lines.push(end())
        from = at + 1
      }
      if (from < piece.length) keep(piece.subarray(from))
      return lines
    },
    rest: () => (isBegun ? [end()] : []),
  }
}
