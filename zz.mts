import { globSync, readFileSync } from 'node:fs'
import { parse } from 'acorn'
import { transformSync } from 'esbuild'
import { checkSync } from 'recheck'
const all=[]
for (const f of globSync('lib/**/*.ts').filter(f=>!f.endsWith('.gen.ts'))) {
  const {code}=transformSync(readFileSync(f,'utf8'),{loader:'ts'})
  parse(code,{ecmaVersion:'latest',sourceType:'module',onToken:({type,start,end})=>{ if(type.label==='regexp') all.push([f,code.slice(start,end)])}})
}
const rows=[]
const c0=performance.now()
for (const [f,l] of all){const e=l.lastIndexOf('/');const c=performance.now();const {status}=checkSync(l.slice(1,e),l.slice(e+1),{checker:'automaton',timeout:null});rows.push([(performance.now()-c)|0,status,f,l])}
console.log('wall',(performance.now()-c0)/1e3)
rows.sort((a,b)=>b[0]-a[0]);rows.slice(0,30).forEach(r=>console.log(...r))
