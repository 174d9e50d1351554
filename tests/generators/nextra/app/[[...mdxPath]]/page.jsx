import { generateStaticParamsFor, importPage } from "nextra/pages";

export const generateStaticParams = generateStaticParamsFor("mdxPath");

export default async function Page({ params }) {
  const { mdxPath } = await params;
  const { default: Content } = await importPage(mdxPath);
  return <Content />;
}
