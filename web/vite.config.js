// Builds the page into src/tengen/web/static, with fixed names, so that a build of the same source gives the same bytes.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "vite";

const here = import.meta.dirname;
const out = join(here, "../src/tengen/web/static");

/** All files below `folder`, as sorted paths relative to it. Hidden files and node_modules do not count. */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split("/").some((part) => part.startsWith(".") || part === "node_modules"))
    .sort();
}

/** One hash over the names and contents of files. tests/web/page/test_build.py computes the same. */
function hashOf(folder, paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    hash.update(`${path}\0`).update(readFileSync(join(folder, path))).update("\0");
  }
  return hash.digest("hex");
}

/** The licences of what is built in. */
function licences() {
  const names = ["preact", "@sabaki/shudan", "@sabaki/go-board", "classnames", "uplot", "@fontsource-variable/inter"];
  const text = (name) => `${name}\n\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim()}\n`;
  return {
    name: "licences",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "assets/licences.txt", source: names.map(text).join("\n\n") });
    },
  };
}

/** Writes build.json: the hash of the sources, and the hash of what was built from them. */
function manifest() {
  return {
    name: "manifest",
    apply: "build",
    closeBundle() {
      const built = filesOf(out).filter((path) => path !== "build.json");
      const hashes = { source: hashOf(here, filesOf(here)), built: hashOf(out, built) };
      writeFileSync(join(out, "build.json"), `${JSON.stringify(hashes, null, 2)}\n`);
    },
  };
}

export default defineConfig({
  base: "/",
  build: {
    outDir: out,
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: "assets/page.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: (asset) => (asset.names[0]?.endsWith(".css") ? "assets/page.css" : "assets/[name][extname]"),
      },
    },
  },
  plugins: [licences(), manifest()],
});
