#include "operators/expression/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "operators/expression/lexer.hpp"

namespace sluice::expression {
namespace {

// Words that cannot be a column's name without double quotes.
constexpr std::array<std::string_view, 17> kReserved = {"and",  "or",   "not",  "in",    "between", "like",
                                                        "is",   "null", "true", "false", "case",    "when",
                                                        "then", "else", "end",  "cast",  "try_cast"};

struct LinkSymbol {
  std::string_view symbol;
  Link link;
};
constexpr std::array<LinkSymbol, 2> kSums = {{{"+", Link::add}, {"-", Link::subtract}}};
constexpr std::array<LinkSymbol, 3> kProducts = {
    {{"*", Link::multiply}, {"/", Link::divide}, {"%", Link::modulo}}};
constexpr std::array<LinkSymbol, 6> kComparisons = {{{"=", Link::equal},
                                                     {"<>", Link::not_equal},
                                                     {"<", Link::less},
                                                     {"<=", Link::less_equal},
                                                     {">", Link::greater},
                                                     {">=", Link::greater_equal}}};

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokenize(text)) {}

  NodePtr run() {
    if (at().kind == TokenKind::end) refuse(ErrorCode::bad_expression, at().span, "the expression is empty");
    NodePtr root = expression();
    if (at().kind != TokenKind::end) {
      refuse(ErrorCode::bad_expression, at().span, fmt::format("{} is not expected here", shown(at())));
    }
    return root;
  }

 private:
  // Counts the nesting that the author wrote, so that no text can exhaust the stack.
  struct Nested {
    explicit Nested(Parser& p) : parser(p) {
      if (++parser.nesting_ > kMaxNesting) parser.refuse_nesting(parser.at().span);
    }
    ~Nested() { --parser.nesting_; }
    Parser& parser;
  };

  [[noreturn]] void refuse_nesting(Span span) {
    refuse(ErrorCode::bad_expression, span,
           fmt::format("the expression is nested deeper than {} levels", kMaxNesting));
  }

  const Token& at() const { return tokens_[position_]; }
  const Token& ahead() const { return tokens_[std::min(position_ + 1, tokens_.size() - 1)]; }
  const Token& take() { return tokens_[position_++]; }
  bool is_word(std::string_view word) const { return at().kind == TokenKind::word && at().word == word; }
  bool is_symbol(std::string_view symbol) const {
    return at().kind == TokenKind::symbol && at().text == symbol;
  }
  bool take_word(std::string_view word) { return is_word(word) && (++position_, true); }
  bool take_symbol(std::string_view symbol) { return is_symbol(symbol) && (++position_, true); }

  static std::string shown(const Token& token) {
    if (token.kind == TokenKind::end) return "the end of the expression";
    if (token.kind == TokenKind::text) return "a text";
    return fmt::format("\"{}\"", token.text);
  }

  void expect_word(std::string_view word, std::string_view context) {
    if (take_word(word)) return;
    refuse(ErrorCode::bad_expression, at().span,
           fmt::format("\"{}\" is expected {} but {} stands here", word, context, shown(at())));
  }
  void expect_symbol(std::string_view symbol, std::string_view context) {
    if (take_symbol(symbol)) return;
    refuse(ErrorCode::bad_expression, at().span,
           fmt::format("\"{}\" is expected {} but {} stands here", symbol, context, shown(at())));
  }

  NodePtr make(NodeKind kind, Span place) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->span = node->place = place;
    return node;
  }

  void adopt(Node& parent, NodePtr child) {
    parent.height = std::max(parent.height, child->height + 1);
    if (parent.height > kMaxNesting) refuse_nesting(parent.place);
    parent.children.push_back(std::move(child));
  }

  void close(Node& node) { node.span.end = tokens_[position_ - 1].span.end; }

  NodePtr expression() {
    const Nested nested(*this);
    return disjunction();
  }

  NodePtr disjunction() {
    return joined(
        NodeKind::disjunction, [&] { return take_word("or"); }, [&] { return conjunction(); });
  }

  NodePtr conjunction() {
    return joined(
        NodeKind::conjunction, [&] { return take_word("and"); }, [&] { return negation(); });
  }

  NodePtr concatenation() {
    return joined(
        NodeKind::concatenate, [&] { return take_symbol("||"); }, [&] { return sum(); });
  }

  template <typename TakeJoint, typename ParseOperand>
  NodePtr joined(NodeKind kind, TakeJoint take_joint, ParseOperand parse_operand) {
    NodePtr first = parse_operand();
    if (!take_joint()) return first;
    NodePtr node = make(kind, tokens_[position_ - 1].span);
    node->span = first->span;
    adopt(*node, std::move(first));
    do {
      adopt(*node, parse_operand());
    } while (take_joint());
    close(*node);
    return node;
  }

  NodePtr negation() {
    if (!is_word("not")) return test();
    const Nested nested(*this);
    NodePtr node = make(NodeKind::negation, take().span);
    adopt(*node, negation());
    close(*node);
    return node;
  }

  // x is [not] null
  NodePtr test() {
    NodePtr value = comparison();
    while (is_word("is")) {
      NodePtr node = make(NodeKind::is_null, take().span);
      node->span = value->span;
      node->negated = take_word("not");
      expect_word("null", "after \"is\"");
      adopt(*node, std::move(value));
      close(*node);
      value = std::move(node);
    }
    return value;
  }

  template <std::size_t N>
  const LinkSymbol* link_here(const std::array<LinkSymbol, N>& links) const {
    if (at().kind != TokenKind::symbol) return nullptr;
    const auto found =
        std::find_if(links.begin(), links.end(), [&](const LinkSymbol& l) { return l.symbol == at().text; });
    return found == links.end() ? nullptr : &*found;
  }

  NodePtr comparison() {
    NodePtr left = range();
    const LinkSymbol* link = link_here(kComparisons);
    if (link == nullptr) return left;
    NodePtr node = make(NodeKind::comparison, take().span);
    node->span = left->span;
    node->links.push_back(link->link);
    adopt(*node, std::move(left));
    adopt(*node, range());
    close(*node);
    if (link_here(kComparisons) != nullptr) {
      refuse(ErrorCode::bad_expression, at().span, "comparisons cannot be chained; write a < b and b < c");
    }
    return node;
  }

  // between, in, like, each with not before it
  NodePtr range() {
    NodePtr value = concatenation();
    const bool negated = is_word("not") && ahead().kind == TokenKind::word &&
                         (ahead().word == "between" || ahead().word == "in" || ahead().word == "like");
    if (negated) take();
    NodePtr node;
    if (is_word("between")) {
      node = between(std::move(value));
    } else if (is_word("in")) {
      node = in_list(std::move(value));
    } else if (is_word("like")) {
      node = like(std::move(value));
    } else {
      return value;
    }
    node->negated = negated;
    close(*node);
    return node;
  }

  NodePtr begin_range(NodeKind kind, NodePtr value) {
    NodePtr node = make(kind, take().span);
    node->span = value->span;
    adopt(*node, std::move(value));
    return node;
  }

  NodePtr between(NodePtr value) {
    NodePtr node = begin_range(NodeKind::between, std::move(value));
    adopt(*node, concatenation());
    expect_word("and", "between the bounds of \"between\"");
    adopt(*node, concatenation());
    return node;
  }

  NodePtr in_list(NodePtr value) {
    NodePtr node = begin_range(NodeKind::in, std::move(value));
    expect_symbol("(", "after \"in\"");
    if (is_symbol(")")) refuse(ErrorCode::bad_expression, at().span, "the list of \"in\" must not be empty");
    do {
      adopt(*node, expression());
    } while (take_symbol(","));
    expect_symbol(")", "at the end of the list of \"in\"");
    return node;
  }

  NodePtr like(NodePtr value) {
    NodePtr node = begin_range(NodeKind::like, std::move(value));
    adopt(*node, concatenation());
    if (take_word("escape")) adopt(*node, concatenation());
    return node;
  }

  template <std::size_t N, typename ParseOperand>
  NodePtr linked(const std::array<LinkSymbol, N>& links, ParseOperand parse_operand) {
    NodePtr first = parse_operand();
    const LinkSymbol* link = link_here(links);
    if (link == nullptr) return first;
    NodePtr node = make(NodeKind::arithmetic, at().span);
    node->span = first->span;
    adopt(*node, std::move(first));
    for (; link != nullptr; link = link_here(links)) {
      node->links.push_back(link->link);
      node->link_places.push_back(take().span);
      adopt(*node, parse_operand());
    }
    close(*node);
    return node;
  }

  NodePtr sum() {
    return linked(kSums, [&] { return product(); });
  }
  NodePtr product() {
    return linked(kProducts, [&] { return sign(); });
  }

  NodePtr sign() {
    if (!is_symbol("-") && !is_symbol("+")) return primary();
    const Nested nested(*this);
    const Token& token = take();
    if (token.text == "-" && at().kind == TokenKind::integer) return integer(token.span, true);
    NodePtr operand = sign();
    if (token.text == "+") return operand;
    NodePtr node = make(NodeKind::negate, token.span);
    adopt(*node, std::move(operand));
    close(*node);
    return node;
  }

  NodePtr integer(Span begin, bool negative) {
    const Token& token = take();
    NodePtr node = make(NodeKind::integer, join(begin, token.span));
    // With its sign, because the smallest integer has no positive counterpart.
    const std::string digits = (negative ? "-" : "") + token.text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), node->integer);
    if (error != std::errc()) {
      refuse(ErrorCode::bad_expression, token.span,
             fmt::format("{} does not fit into an int64; write {}.0 for a float64", digits, digits));
    }
    return node;
  }

  NodePtr real() {
    const Token& token = take();
    NodePtr node = make(NodeKind::real, token.span);
    const char* end = token.text.data() + token.text.size();
    const auto parsed = std::from_chars(token.text.data(), end, node->real);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      refuse(ErrorCode::bad_expression, token.span,
             fmt::format("{} does not fit into a float64", token.text));
    }
    return node;
  }

  NodePtr primary() {
    const Token& token = at();
    switch (token.kind) {
      case TokenKind::integer:
        return integer(token.span, false);
      case TokenKind::real:
        return real();
      case TokenKind::text:
        return named(NodeKind::text);
      case TokenKind::quoted_name:
        return named(NodeKind::column);
      case TokenKind::word:
        return word();
      case TokenKind::symbol:
        if (token.text == "(") return parenthesis();
        break;
      case TokenKind::end:
        break;
    }
    refuse(ErrorCode::bad_expression, token.span,
           fmt::format("a value is expected but {} stands here", shown(token)));
  }

  NodePtr named(NodeKind kind) {
    const Token& token = take();
    NodePtr node = make(kind, token.span);
    node->text = token.text;
    return node;
  }

  NodePtr parenthesis() {
    const Span open = take().span;
    NodePtr inner = expression();
    expect_symbol(")", "to close the bracket");
    inner->span = join(open, tokens_[position_ - 1].span);
    return inner;
  }

  NodePtr word() {
    const Token& token = at();
    if (token.word == "null") return make(NodeKind::null, take().span);
    if (token.word == "true" || token.word == "false") {
      NodePtr node = make(NodeKind::boolean, take().span);
      node->integer = token.word == "true" ? 1 : 0;
      return node;
    }
    if (token.word == "case") return choice();
    if (token.word == "cast" || token.word == "try_cast") return cast();
    if (std::find(kReserved.begin(), kReserved.end(), token.word) != kReserved.end()) {
      refuse(
          ErrorCode::bad_expression, token.span,
          fmt::format(
              "a value is expected but the keyword \"{}\" stands here; a column of that name is written in "
              "double quotes",
              token.word));
    }
    if (ahead().kind == TokenKind::symbol && ahead().text == "(") return call();
    return named(NodeKind::column);
  }

  NodePtr cast() {
    const Token& name = take();
    NodePtr node = make(NodeKind::cast, name.span);
    node->lenient = name.word == "try_cast";
    expect_symbol("(", fmt::format("after \"{}\"", name.word));
    adopt(*node, expression());
    expect_word("as", "before the type");
    if (at().kind != TokenKind::word) {
      refuse(ErrorCode::bad_expression, at().span,
             fmt::format("a type is expected but {} stands here", shown(at())));
    }
    node->type_place = at().span;
    node->text = take().word;
    expect_symbol(")", "after the type");
    close(*node);
    return node;
  }

  NodePtr choice() {
    NodePtr node = make(NodeKind::choice, take().span);
    if (!is_word("when")) {
      node->has_subject = true;
      adopt(*node, expression());
    }
    expect_word("when", "in \"case\"");
    do {
      adopt(*node, expression());
      expect_word("then", "after the condition of \"when\"");
      adopt(*node, expression());
    } while (take_word("when"));
    if (take_word("else")) {
      node->has_else = true;
      adopt(*node, expression());
    }
    expect_word("end", "at the end of \"case\"");
    close(*node);
    return node;
  }

  NodePtr call() {
    const Token& name = take();
    NodePtr node = make(NodeKind::call, name.span);
    node->text = name.word;
    take();  // the bracket
    const bool standard_extract = name.word == "extract" && at().kind == TokenKind::word &&
                                  ahead().kind == TokenKind::word && ahead().word == "from";
    if (standard_extract) {  // extract(hour from ts)
      adopt(*node, named(NodeKind::text));
      take();
      adopt(*node, expression());
    } else if (!is_symbol(")")) {
      do {
        adopt(*node, expression());
      } while (take_symbol(","));
    }
    expect_symbol(")", fmt::format("after the arguments of {}", node->text));
    close(*node);
    return node;
  }

  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  std::uint32_t nesting_ = 0;
};

}  // namespace

NodePtr parse(std::string_view text) { return Parser(text).run(); }

}  // namespace sluice::expression
