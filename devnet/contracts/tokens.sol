// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Balances and allowances every token here shares; the tokens differ only in the metadata they tell.
abstract contract Ledger {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(uint256 supply) {
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "insufficient allowance");
        // The greatest allowance is a standing one, as wallets and exchanges expect.
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        require(to != address(0), "transfer to the zero address");
        require(balanceOf[from] >= value, "insufficient balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// An ordinary ERC-20 with the optional metadata.
contract Token is Ledger {
    string public name;
    string public symbol;
    uint8 public immutable decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply) Ledger(supply) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }
}

/// Tells its name and symbol as bytes32, as tokens older than the final ERC-20 do (MKR, SAI).
contract Bytes32Token is Ledger {
    bytes32 public immutable name;
    bytes32 public immutable symbol;
    uint8 public constant decimals = 18;

    constructor(bytes32 name_, bytes32 symbol_, uint256 supply) Ledger(supply) {
        name = name_;
        symbol = symbol_;
    }
}

/// Has none of the optional metadata: name, symbol and decimals revert.
contract BareToken is Ledger {
    constructor(uint256 supply) Ledger(supply) {}
}
