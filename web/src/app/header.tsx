import { texts } from "../texts";
import { hrefOf, pages, type PageName } from "./route";
import { toggleTheme, useTheme } from "./theme";

export function Header({ page }: { page: PageName }) {
  const theme = useTheme();
  return (
    <header class="top">
      <a class="brand" href={hrefOf("strength")}>
        <span class="brand-stone" aria-hidden="true" />
        {texts.app.name}
      </a>
      <nav aria-label={texts.app.pages}>
        {pages.map((name) => (
          <a key={name} href={hrefOf(name)} aria-current={name === page ? "page" : undefined}>
            {texts.pages[name]}
          </a>
        ))}
      </nav>
      <button type="button" class="theme" aria-label={texts.app.toggle[theme]} onClick={toggleTheme}>
        <span aria-hidden="true" data-theme-icon={theme} />
      </button>
    </header>
  );
}
