/**
 * A text that must not be shown (G16). As JSON, in a log or in a template, it becomes its mark or `(secret)`. Only
 * `reveal` returns the text, and only the code that passes it to a container calls that.
 */
export class Secret {
  /** A keyed hash of the text. Equal texts have equal marks, and without the key nobody can guess texts. */
  readonly mark: string
  readonly #text: string | undefined

  /**
   * @param text undefined where files are only checked: then nobody gave it, and the mark says what was asked for
   */
  constructor(text: string | undefined, mark: string) {
    this.#text = text
    this.mark = mark
  }

  /** Whether anybody gave it. */
  get isKnown(): boolean {
    return this.#text !== undefined
  }

  /** Returns the text; empty if nobody gave it. */
  reveal(): string {
    return this.#text ?? ''
  }

  toString(): string {
    return '(secret)'
  }
}

/** A text that may be shown, or one that must not be. */
export type Text = string | Secret
