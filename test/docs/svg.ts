/** How a color of the terminal is drawn: readable on the dark ground below. */
const colors: Readonly<Record<string, string>> = { '31': '#ff7b72', '32': '#7ee787', '33': '#e3b341' }
const ground = '#0d1117'
const ink = '#e6edf3'

const cellWidth = 7.8
const lineHeight = 19
const margin = 16

/**
 * What a program wrote on a terminal, as an SVG picture. Understands the colors and weights that tallyman uses:
 * bold, dim, red, green, yellow. Equal texts make equal pictures.
 */
export function svgOf(terminal: string, title: string): string {
  const lines = terminal.replaceAll('\r', '').trimEnd().split('\n')
  const columns = Math.max(...lines.map(line => [...plainText(line)].length))
  const width = Math.ceil(columns * cellWidth + 2 * margin)
  const height = lines.length * lineHeight + 2 * margin
  const rows = lines.map((line, row) => rowOf(line, margin + row * lineHeight + 13))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="6" fill="${ground}"/>`,
    `<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" fill="${ink}" xml:space="preserve">`,
    ...rows.filter(row => row !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

/** The text of a terminal without its colors. */
export function plainText(terminal: string): string {
  return terminal.replaceAll('\r', '').replace(controls, '')
}

const controls = /\u001b\[[0-9;?]*[a-zA-Z]/g

type Style = { readonly bold: boolean; readonly dim: boolean; readonly color: string | undefined }

const plain: Style = { bold: false, dim: false, color: undefined }

function rowOf(line: string, y: number): string {
  const pieces: string[] = []
  let style = plain
  let column = 0
  for (const piece of line.split(/(\u001b\[[0-9;]*m)/)) {
    const codes = /^\u001b\[([0-9;]*)m$/.exec(piece)?.[1]
    if (codes !== undefined) {
      style = codes.split(';').reduce(restyled, style)
      continue
    }
    const text = plainText(piece)
    const length = [...text].length
    if (text.trim() !== '') pieces.push(pieceOf(text, margin + column * cellWidth, y, length, style))
    column += length
  }
  return pieces.join('\n')
}

/** Its length is given, so that columns stand under one another whatever the font. */
function pieceOf(text: string, x: number, y: number, length: number, { bold, dim, color }: Style): string {
  const attributes = [
    `x="${x.toFixed(1)}"`,
    `y="${y}"`,
    `textLength="${(length * cellWidth).toFixed(1)}"`,
    'lengthAdjust="spacingAndGlyphs"',
    ...(color === undefined ? [] : [`fill="${color}"`]),
    ...(bold ? ['font-weight="bold"'] : []),
    ...(dim ? ['opacity="0.6"'] : []),
  ]
  return `<text ${attributes.join(' ')}>${escaped(text)}</text>`
}

function restyled(style: Style, code: string): Style {
  switch (code) {
    case '':
    case '0':
      return plain
    case '1':
      return { ...style, bold: true }
    case '2':
      return { ...style, dim: true }
    case '22':
      return { ...style, bold: false, dim: false }
    case '39':
      return { ...style, color: undefined }
  }
  return { ...style, color: colors[code] ?? style.color }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
