/**
 * A text that must not be seen (G16). Whatever writes it down, as JSON, in a log or in a template, writes its mark or
 * `(secret)`; only `reveal` gives the text away, and only the edge that hands it to a container calls it.
 */
export class Secret {
  /** A keyed hash of the text: equal texts have equal marks, and without the key nobody can try texts out. */
  readonly mark: string
  readonly #text: string

  constructor(text: string, mark: string) {
    this.#text = text
    this.mark = mark
  }

  reveal(): string {
    return this.#text
  }

  toString(): string {
    return '(secret)'
  }
}

/** A text that may be seen, or one that must not be. */
export type Text = string | Secret
